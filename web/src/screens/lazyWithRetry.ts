import { type ComponentType, createElement, lazy, type ReactElement, useState, useSyncExternalStore } from "react";

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

/** A part of the site that did not arrive. It is fetched anew when it is next shown. */
export class NotArrived extends Error {
  constructor(
    cause: unknown,
    /** Makes the next rendering fetch it. */
    readonly forget: () => void,
    /** Fetches it now, for the next rendering. Settles as the fetch does. */
    readonly fetchAgain: () => Promise<void>,
  ) {
    super("a part of the site did not arrive", { cause });
    this.name = "NotArrived";
  }
}

/** Style sheets that failed to load, by address, and their present attempt. */
const missingStyles = new Map<string, Promise<void> | null>();

/**
 * Remembers each style sheet that failed to load. The bundler asks for a sheet once: a screen whose style failed would
 * come without it for as long as the page lives.
 */
export function watchStyles(document: Document): void {
  // The error of a link does not bubble.
  document.addEventListener(
    "error",
    ({ target }) => {
      if (!(target instanceof HTMLLinkElement) || target.rel !== "stylesheet") return;
      missingStyles.set(target.href, null);
      target.remove();
    },
    { capture: true },
  );
}

function fetchStyle(href: string): Promise<void> {
  const fetching = new Promise<void>((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.crossOrigin = "";
    link.href = href;
    link.addEventListener("load", () => {
      missingStyles.delete(href);
      resolve();
    });
    link.addEventListener("error", () => reject(new Error(`the style sheet ${href} did not arrive`)));
    document.head.append(link);
  });
  missingStyles.set(href, fetching);
  return fetching;
}

/** Fetches with the part the style sheets that failed before. */
async function withStyles<T>(loading: Promise<T>): Promise<T> {
  const arrived = await loading;
  await Promise.all([...missingStyles].map(([href, fetching]) => fetching ?? fetchStyle(href)));
  return arrived;
}

/** A part of the site that is fetched when it is first shown, or before. */
export interface Part<P> {
  (props: P): ReactElement;
  /** Fetches it before it is shown: React shows for 300 ms at least that it waits for what it did not have at once. */
  readonly ahead: () => Promise<void>;
}

/** React alone would remember for good that a part did not arrive. */
export function part<P extends object>(load: () => Promise<{ default: ComponentType<P> }>): Part<P> {
  const forget = () => {
    current = whenShown();
  };
  async function ahead(): Promise<void> {
    current = (await withStyles(load())).default;
  }
  const whenShown = () =>
    lazy(() =>
      withStyles(load()).catch((cause: unknown) => {
        throw new NotArrived(cause, forget, ahead);
      }),
    ) as unknown as ComponentType<P>;
  let current = whenShown();
  const Part = (props: P) => {
    const [Arriving] = useState(() => current);
    return createElement(Arriving, props);
  };
  return Object.assign(Part, { ahead });
}
