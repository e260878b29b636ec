import { defineMachine } from "./machine";

/** SUB. Whether one subscription renews itself; keyed by the subscription's id. */
export type AutoRenew =
  | { readonly at: "active" }
  | { readonly at: "cancelling" }
  /** The worker has said yes; the subscription's own state has yet to tell. */
  | { readonly at: "cancelled" }
  | { readonly at: "finished" }
  | { readonly at: "failed"; readonly message: string };

export interface AutoRenewFacts {
  cancelPressed: { key: string };
  cancelBegan: { key: string };
  cancelled: { key: string };
  /** The subscription's state tells that it does not renew. */
  finished: { key: string };
  failed: { key: string; message: string };
  /** The subscription's state tells that it renews: bought again. */
  renewed: { key: string };
}

const begin = {
  to: ["cancelling"],
  move: (): AutoRenew => ({ at: "cancelling" }),
} as const;
const confirm = { to: ["cancelled"], move: (): AutoRenew => ({ at: "cancelled" }) } as const;
const finish = { to: ["finished"], move: (): AutoRenew => ({ at: "finished" }) } as const;
const renew = { to: ["active"], move: (): AutoRenew => ({ at: "active" }) } as const;

/** The answer of a cancelling that the subscription's state has ended. */
const answered = { cancelled: "ignore", failed: "ignore" } as const;

export const autoRenew = defineMachine<AutoRenew, AutoRenewFacts>(
  "autoRenew",
  { at: "active" },
  {
    active: { cancelPressed: "ignore", cancelBegan: begin, finished: finish, renewed: "ignore" },
    cancelling: {
      cancelPressed: "ignore",
      // A new leader asks again.
      cancelBegan: begin,
      cancelled: confirm,
      finished: finish,
      failed: { to: ["failed"], move: (_, { message }) => ({ at: "failed", message }) },
      renewed: "ignore",
    },
    cancelled: { cancelPressed: "ignore", finished: finish, renewed: "ignore" },
    // The subscription's state may tell before the answer does.
    finished: { cancelPressed: "ignore", ...answered, finished: "ignore", renewed: renew },
    failed: {
      cancelPressed: "ignore",
      cancelBegan: begin,
      finished: finish,
      renewed: renew,
    },
  },
);
