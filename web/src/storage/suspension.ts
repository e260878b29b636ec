/** Its transaction was rolled back because the page left; it can run again once the page returns. */
export class SuspendedError extends Error {
  override readonly name = "SuspendedError";

  constructor(readonly returned: Promise<void>) {
    super("the page left");
  }
}

/**
 * The uncommitted transactions of a page. A page that enters the back-forward cache stops before their next step, and
 * WebKit lets the following page wait for them for ever: they are rolled back as the page's last act.
 */
export interface Suspension {
  add(transaction: IDBTransaction): void;
  delete(transaction: IDBTransaction): void;
  /** The error of a transaction that was rolled back here; null for any other. */
  errorOf(transaction: IDBTransaction): SuspendedError | null;
}

/** The part of a page's global object that its suspension needs. */
interface Page extends EventTarget {
  readonly document: { readonly visibilityState: string };
}

/** This page; null in a service worker, which is never suspended. */
const thisPage = (): Page | null => ("document" in globalThis ? (globalThis as unknown as Page) : null);

export function watchSuspension(page = thisPage()): Suspension {
  const uncommitted = new Set<IDBTransaction>();
  const errors = new WeakMap<IDBTransaction, SuspendedError>();
  /** Resolves once the page returns; null while it is there. */
  let returned: Promise<void> | null = null;

  function rollBack(): void {
    if (returned === null) return;
    for (const transaction of uncommitted) {
      errors.set(transaction, new SuspendedError(returned));
      transaction.abort();
    }
    uncommitted.clear();
  }

  page?.addEventListener("pagehide", (event) => {
    if (!(event as Event & { readonly persisted: boolean }).persisted) return;
    returned = new Promise((resolve) =>
      page.addEventListener(
        "pageshow",
        () => {
          returned = null;
          resolve();
        },
        { once: true },
      ),
    );
    // No further event follows in a hidden tab.
    if (page.document.visibilityState === "hidden") rollBack();
  });
  // The page's last event; it reaches the window after the document's own listeners have written.
  page?.addEventListener("visibilitychange", rollBack);

  return {
    add: (transaction) => void uncommitted.add(transaction),
    delete: (transaction) => void uncommitted.delete(transaction),
    errorOf: (transaction) => errors.get(transaction) ?? null,
  };
}
