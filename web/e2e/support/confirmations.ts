import type { BrowserContext } from "@playwright/test";

/** A page's confirmations during its life. */
type Confirmation =
  /** It showed that this event is paid. */
  | { readonly t: "paid"; readonly event: number }
  /** It listed one of the worker's clips. */
  | { readonly t: "clip"; readonly name: string }
  /** An analytics event was stored in its outbox, with its transaction complete. */
  | { readonly t: "stored"; readonly id: string };

/** Confirmations shown to viewers, and stored promises to send, over all tabs of a browser. */
export interface Confirmations {
  readonly paid: Set<number>;
  readonly clips: Set<string>;
  readonly stored: Set<string>;
}

/** Observes every page opened from now on. */
export async function watchConfirmations(context: BrowserContext): Promise<Confirmations> {
  const confirmations: Confirmations = { paid: new Set(), clips: new Set(), stored: new Set() };
  await context.exposeBinding("touchlineTold", (_, confirmation: Confirmation) => {
    if (confirmation.t === "paid") confirmations.paid.add(confirmation.event);
    else if (confirmation.t === "clip") confirmations.clips.add(confirmation.name);
    else confirmations.stored.add(confirmation.id);
  });
  await context.addInitScript(observePage);
  return confirmations;
}

/** Runs in the page before the site does. */
function observePage(): void {
  const PAID = "//*[text()='Paid. Enjoy the game.']";
  const POLL_MS = 20;
  const page = globalThis as unknown as { touchlineTold(told: Confirmation): Promise<void> };
  const confirmed = new Set<string>();
  const report = (told: Confirmation): void => {
    const text = JSON.stringify(told);
    if (confirmed.has(text)) return;
    confirmed.add(text);
    // A closing page can't deliver.
    page.touchlineTold(told).catch(() => undefined);
  };

  function check(): void {
    const event = new URLSearchParams(location.search).get("event_id");
    const isPaid = document.evaluate(PAID, document, null, XPathResult.BOOLEAN_TYPE).booleanValue;
    if (isPaid && event !== null) report({ t: "paid", event: Number(event) });
    for (const card of document.querySelectorAll("article:has(.clip-card__state)"))
      report({ t: "clip", name: card.querySelector("h2")?.textContent ?? "" });
  }
  let isDue = false;
  const changed = (): void => {
    if (isDue) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      check();
    }, POLL_MS);
  };
  new MutationObserver(changed).observe(document, { childList: true, subtree: true, characterData: true });

  const put = IDBObjectStore.prototype.put;
  IDBObjectStore.prototype.put = function observedPut(value: unknown, key?: IDBValidKey) {
    const { id, kind } = (value ?? {}) as { id?: unknown; kind?: unknown };
    const { transaction } = this;
    if (this.name === "outbox" && String(key).startsWith("analytics/") && kind === "analytics")
      transaction.addEventListener("complete", () => report({ t: "stored", id: String(id) }));
    return put.call(this, value, key);
  };
}
