import { type ComponentType, createElement, lazy, useState, useSyncExternalStore } from "react";

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

/** A part of the site that did not arrive. After `again`, it is fetched anew when it is next shown. */
export class NotArrived extends Error {
  constructor(
    cause: unknown,
    readonly again: () => void,
  ) {
    super("a part of the site did not arrive", { cause });
    this.name = "NotArrived";
  }
}

/** A part of the site that is fetched when it is first shown. React alone would remember for good that it did not arrive. */
export function part<P extends object>(load: () => Promise<{ default: ComponentType<P> }>): ComponentType<P> {
  const awaited = () =>
    lazy(() =>
      load().catch((cause: unknown) => {
        throw new NotArrived(cause, () => {
          current = awaited();
        });
      }),
    );
  let current = awaited();
  return function Part(props: P) {
    const [Arriving] = useState(() => current);
    return createElement(Arriving as unknown as ComponentType<P>, props);
  };
}
