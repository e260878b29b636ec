import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
let underWay = 0;

function change(by: 1 | -1): void {
  underWay += by;
  for (const listener of [...listeners]) listener();
}

/** Fetches a part of the site, and lets the page say so meanwhile. */
export async function fetched<T>(part: Promise<T>): Promise<T> {
  change(1);
  try {
    return await part;
  } finally {
    change(-1);
  }
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Whether the next page is still on its way: the present one stays until it is there. */
export const useMoving = (): boolean => useSyncExternalStore(subscribe, () => underWay > 0);
