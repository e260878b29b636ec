import { queued } from "../storage/queued";

/** Runs `work` while nobody else of the same name does. */
export type Exclusive = <T>(work: () => Promise<T>) => Promise<T>;

/** The part of a browser's locks that is used here. */
export interface Locks {
  request<T>(name: string, work: (lock: Lock | null) => Promise<T>): Promise<T>;
}

/** Across tabs and the service worker by a Web Lock; within this page alone where there is none (plain HTTP). */
export function exclusive(name: string, locks: Locks | undefined): Exclusive {
  if (!locks) return queued();
  return (work) => locks.request(name, work);
}
