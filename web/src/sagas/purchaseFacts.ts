import type { PurchaseChoice } from "../machines/purchase";
import type { ChoiceFacts } from "../machines/purchaseChoice";
import { selectLoggedIn } from "../slices/auth";
import { selectPackage } from "../slices/catalogue";
import { selectEvent } from "../slices/events";
import type { RootState } from "../slices/index";
import { selectOnline } from "../slices/network";
import { packagePurchased, selectEventPurchased, selectSubscriptionPurchased } from "../slices/orders";
import { selectUserFlags } from "../slices/user";

/** The facts for checking a choice. */
export const choiceFacts =
  ({ kind, id }: PurchaseChoice) =>
  (state: RootState): ChoiceFacts => {
    const event = kind === "event" && id !== null ? selectEvent(id)(state) : null;
    const item = kind === "package" && id !== null ? selectPackage(id)(state) : null;
    return {
      loggedIn: selectLoggedIn(state),
      online: selectOnline(state),
      paidEvent: event?.type === "paid",
      teamPass: item?.is_team_pass ?? false,
      alreadyBought: id !== null && owned(kind, id, state),
      trialUsed: selectUserFlags(state)?.trial_period_used ?? false,
    };
  };

function owned(kind: PurchaseChoice["kind"], id: number, state: RootState): boolean {
  switch (kind) {
    case "event":
      return selectEventPurchased(id)(state);
    case "package": {
      const item = selectPackage(id)(state);
      return item !== null && packagePurchased(item);
    }
    case "subscription":
    case "trial":
      return selectSubscriptionPurchased(id)(state);
  }
}
