import type { Reducer, UnknownAction } from "@reduxjs/toolkit";
import { purchase as machine, type Purchase } from "../machines/purchase";
import { authActions } from "./auth";
import type { RootState } from "./index";
import { machineSlice } from "./machineSlice";

const slice = machineSlice(machine);
export const purchaseActions = slice.actions;

/** The key of a fact that was recorded before facts said which purchase they are of. */
export const ANY_PURCHASE = "";

/** Whether an action tells of a purchase. */
export const isOfPurchases = ({ type }: { readonly type: string }): boolean => type.startsWith(`${slice.name}/`);

/**
 * Whether an action tells something of this purchase. Two tabs that were pressed at the same moment each go on with
 * their own.
 */
export function concerns(state: Purchase, action: { readonly type: string; readonly payload?: unknown }): boolean {
  if (!isOfPurchases(action)) return false;
  const { key = ANY_PURCHASE } = (action.payload ?? {}) as { readonly key?: string | null };
  if (key === ANY_PURCHASE) return true;
  if (key === null) return !("key" in state);
  return "key" in state ? state.key === key : action.type === purchaseActions.submitted.type;
}

/** Whether its buyer is not the one who is here from now on, whichever tab told. */
function isLeft(state: Purchase, action: UnknownAction): boolean {
  if (authActions.loggedOut.match(action) || authActions.reset.match(action)) return true;
  if (!("key" in state) || state.user_id === undefined) return false;
  const isHere = authActions.succeeded.match(action) || authActions.profileLoaded.match(action);
  return isHere && action.payload.user.id !== state.user_id;
}

const reducer: Reducer<Purchase> = (state = machine.initial, action) => {
  if (isLeft(state, action)) return machine.initial;
  return concerns(state, action) ? slice.reducer(state, action) : state;
};

export const purchase = { ...slice, reducer };

export const selectPurchase = (state: RootState): Purchase => state.purchase;
/** Something is under way: its button waits, leaving is safe. */
export const selectPurchaseBusy = ({ purchase: { at } }: RootState): boolean =>
  at === "submitting" || at === "confirming" || at === "processing";
/** The popup of a failed purchase. */
export const selectPurchasePopup = ({ purchase: state }: RootState): { message: string } | null =>
  state.at === "failed" && state.popup ? { message: state.message } : null;
