import { type ComponentType, createElement, lazy, type ReactElement, useState, useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
/** The loading parts of the next page. */
let underWay: ReadonlySet<Promise<unknown>> = new Set();
let watch: (loading: Promise<unknown>) => void = () => undefined;

function change(loading: readonly Promise<unknown>[]): void {
  underWay = new Set(loading);
  for (const listener of [...listeners]) listener();
}

/** Watches the loads of parts, which come from the channel as well (CALL-14). */
export function watchParts(watcher: typeof watch): void {
  watch = watcher;
  for (const loading of underWay) watch(loading);
}

/** Loads a part of the site, tracking that it is pending. */
export async function fetched<T>(part: Promise<T>): Promise<T> {
  change([...underWay, part]);
  watch(part);
  try {
    return await part;
  } finally {
    if (underWay.has(part)) change([...underWay].filter((one) => one !== part));
  }
}

/** A page has appeared: what still loads is for one that the viewer left. */
export function pageAppeared(): void {
  if (underWay.size > 0) change([]);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Whether the next page is loading; the current page stays until then. */
export const useMoving = (): boolean => useSyncExternalStore(subscribe, () => underWay.size > 0);

/** A part of the site that failed to load. It is loaded again when it is next rendered. */
export class NotArrived extends Error {
  constructor(
    cause: unknown,
    /** Makes the next render load it again. */
    readonly forget: () => void,
    /** Loads it again now; settles as the load does. */
    readonly fetchAgain: () => Promise<void>,
  ) {
    super("a part of the site did not arrive", { cause });
    this.name = "NotArrived";
  }
}

/** Style sheets that failed to load, by address, with the current attempt. */
const missingStyles = new Map<string, Promise<void> | null>();

/**
 * Records style sheets that fail to load. The bundler requests a sheet only once, so a screen would stay unstyled for
 * the page's lifetime.
 */
export function watchStyles(document: Document): void {
  // A link's error event doesn't bubble.
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

/** Also reloads style sheets that failed before. */
async function withStyles<T>(loading: Promise<T>): Promise<T> {
  const arrived = await loading;
  await Promise.all([...missingStyles].map(([href, fetching]) => fetching ?? fetchStyle(href)));
  return arrived;
}

/** A lazily loaded part of the site that can be preloaded. */
export interface Part<P> {
  (props: P): ReactElement;
  /** Preloads it: React shows a fallback for at least 300 ms otherwise. */
  readonly ahead: () => Promise<void>;
}

/** Unlike React.lazy, retries a failed load. */
export function part<P extends object>(load: () => Promise<{ default: ComponentType<P> }>): Part<P> {
  const forget = () => {
    current = lazyComponent();
  };
  async function ahead(): Promise<void> {
    current = (await withStyles(load())).default;
  }
  const lazyComponent = () =>
    lazy(() =>
      withStyles(load()).catch((cause: unknown) => {
        throw new NotArrived(cause, forget, ahead);
      }),
    ) as unknown as ComponentType<P>;
  let current = lazyComponent();
  const Part = (props: P) => {
    const [Arriving] = useState(() => current);
    return createElement(Arriving, props);
  };
  return Object.assign(Part, { ahead });
}
