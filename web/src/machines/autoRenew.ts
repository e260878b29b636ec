import { defineMachine } from "./machine";

/** SUB. Auto-renew of one subscription, by the subscription's id. */
export type AutoRenew =
  | { readonly at: "active" }
  /** `pressed_at`: Unix milliseconds; the request may be sent much later. */
  | { readonly at: "cancelling"; readonly pressed_at?: number }
  /** The worker accepted; the subscription's own status is yet to arrive. */
  | { readonly at: "cancelled" }
  | { readonly at: "finished" }
  /** Being turned back on. */
  | { readonly at: "keeping" }
  /** It still ends with its period. */
  | { readonly at: "keepFailed"; readonly message: string }
  | { readonly at: "failed"; readonly message: string };

export interface AutoRenewFacts {
  cancelPressed: { key: string };
  cancelBegan: { key: string; pressed_at?: number };
  cancelled: { key: string };
  /** The subscription's status says that it doesn't renew. */
  finished: { key: string };
  failed: { key: string; message: string };
  keepPressed: { key: string };
  keepBegan: { key: string };
  keepFailed: { key: string; message: string };
  /** The subscription's status says that it renews: resumed, or bought again. */
  renewed: { key: string };
}

const startCancelling = {
  to: ["cancelling"],
  move: (_: AutoRenew, { pressed_at }: AutoRenewFacts["cancelBegan"]): AutoRenew =>
    pressed_at === undefined ? { at: "cancelling" } : { at: "cancelling", pressed_at },
} as const;
const confirm = { to: ["cancelled"], move: (): AutoRenew => ({ at: "cancelled" }) } as const;
const finish = { to: ["finished"], move: (): AutoRenew => ({ at: "finished" }) } as const;
const renew = { to: ["active"], move: (): AutoRenew => ({ at: "active" }) } as const;
const startResuming = { to: ["keeping"], move: (): AutoRenew => ({ at: "keeping" }) } as const;

/** A late answer after the subscription's status arrived. */
const answered = { cancelled: "ignore", failed: "ignore" } as const;
const ignoreResuming = { keepPressed: "ignore", keepFailed: "ignore" } as const;

export const autoRenew = defineMachine<AutoRenew, AutoRenewFacts>(
  "autoRenew",
  { at: "active" },
  {
    active: {
      cancelPressed: "ignore",
      cancelBegan: startCancelling,
      finished: finish,
      renewed: "ignore",
      ...ignoreResuming,
      // A reloaded page knows of the end from the orders alone.
      keepBegan: startResuming,
    },
    cancelling: {
      cancelPressed: "ignore",
      // A new leader requests again.
      cancelBegan: startCancelling,
      cancelled: confirm,
      finished: finish,
      failed: { to: ["failed"], move: (_, { message }) => ({ at: "failed", message }) },
      renewed: "ignore",
      ...ignoreResuming,
    },
    cancelled: { cancelPressed: "ignore", finished: finish, renewed: "ignore", ...ignoreResuming },
    // The subscription's status may arrive before the answer.
    finished: {
      cancelPressed: "ignore",
      ...answered,
      finished: "ignore",
      ...ignoreResuming,
      keepBegan: startResuming,
      renewed: renew,
    },
    keeping: {
      cancelPressed: "ignore",
      ...answered,
      finished: finish,
      keepPressed: "ignore",
      // A new leader requests again.
      keepBegan: startResuming,
      keepFailed: { to: ["keepFailed"], move: (_, { message }) => ({ at: "keepFailed", message }) },
      renewed: renew,
    },
    keepFailed: {
      cancelPressed: "ignore",
      ...answered,
      finished: finish,
      ...ignoreResuming,
      keepBegan: startResuming,
      renewed: renew,
    },
    failed: {
      cancelPressed: "ignore",
      cancelBegan: startCancelling,
      finished: finish,
      renewed: renew,
      ...ignoreResuming,
    },
  },
);
