import { queued } from "../storage/queued";

/** Runs `work` while no other work of the same name runs. */
export type Exclusive = <T>(work: () => Promise<T>) => Promise<T>;

/** The subset of the Web Locks API in use. */
export interface Locks {
  request<T>(name: string, work: (lock: Lock | null) => Promise<T>): Promise<T>;
}

/** Exclusive across tabs and the service worker by a Web Lock; without Web Locks (plain HTTP) within this page only. */
export function exclusive(name: string, locks: Locks | undefined): Exclusive {
  if (!locks) return queued();
  return (work) => locks.request(name, work);
}
