import type { Reducer, UnknownAction } from "@reduxjs/toolkit";
import { purchase as machine, type Purchase } from "../machines/purchase";
import { INTERRUPTED } from "../machines/purchaseChoice";
import { authActions } from "./auth";
import type { RootState } from "./index";
import { machineSlice } from "./machineSlice";

const slice = machineSlice(machine);
export const purchaseActions = slice.actions;

/** Whether an action belongs to the purchase machine. */
export const isPurchaseAction = ({ type }: { readonly type: string }): boolean => type.startsWith(`${slice.name}/`);

/** Whether an action concerns this purchase. Two tabs pressed at the same time each continue with their own. */
function concerns(state: Purchase, action: { readonly type: string; readonly payload?: unknown }): boolean {
  if (!isPurchaseAction(action)) return false;
  const { key } = (action.payload ?? {}) as { readonly key?: string | null };
  if (key === undefined) return true;
  if (key === null) return !("key" in state);
  return "key" in state ? state.key === key : action.type === purchaseActions.submitted.type;
}

/** Whether the buyer is no longer the current user, whichever tab reported it. */
function isForeign(state: Purchase, action: UnknownAction): boolean {
  if (authActions.loggedOut.match(action) || authActions.reset.match(action)) return true;
  if (!("key" in state) || state.user_id === undefined) return false;
  const isCurrentUser = authActions.succeeded.match(action) || authActions.profileLoaded.match(action);
  return isCurrentUser && action.payload.user.id !== state.user_id;
}

const reducer: Reducer<Purchase> = (state = machine.initial, action) => {
  if (isForeign(state, action)) return machine.initial;
  return concerns(state, action) ? slice.reducer(state, action) : state;
};

export const purchase = { ...slice, reducer };

export const selectPurchase = (state: RootState): Purchase => state.purchase;
/** In progress in any tab: leaving the page is safe. */
export const selectPurchaseBusy = ({ purchase: { at }, checkout: { paying } }: RootState): boolean =>
  paying !== null || at === "submitting" || at === "confirming" || at === "processing";
/**
 * A pending dialog about a purchase that ended unpaid: failed, interrupted before card entry, or at a changed price.
 */
export type PurchasePopup = "failed" | "cutOff" | "priceChanged";

export function popupOf(state: Purchase): PurchasePopup | null {
  if (state.at === "failed") return state.popup ? "failed" : null;
  if (state.at !== "rejected" || state.request === undefined) return null;
  if (state.code === INTERRUPTED.code) return "cutOff";
  return state.price === undefined ? null : "priceChanged";
}
