import type { Reducer } from "@reduxjs/toolkit";
import { purchase as machine, type Purchase } from "../machines/purchase";
import type { RootState } from "./index";
import { machineSlice } from "./machineSlice";

const slice = machineSlice(machine);
export const purchaseActions = slice.actions;

/** The key of a fact that was recorded before facts said which purchase they are of. */
export const ANY_PURCHASE = "";

/**
 * Whether an action tells something of this purchase. Two tabs that were pressed at the same moment each go on with
 * their own.
 */
export function concerns(
  state: Purchase,
  { type, payload }: { readonly type: string; readonly payload?: unknown },
): boolean {
  if (!type.startsWith(`${slice.name}/`)) return false;
  const { key = ANY_PURCHASE } = (payload ?? {}) as { readonly key?: string | null };
  if (key === ANY_PURCHASE) return true;
  if (key === null) return !("key" in state);
  return "key" in state ? state.key === key : type === purchaseActions.submitted.type;
}

const reducer: Reducer<Purchase> = (state = machine.initial, action) =>
  concerns(state, action) ? slice.reducer(state, action) : state;

export const purchase = { ...slice, reducer };

export const selectPurchase = (state: RootState): Purchase => state.purchase;
/** Something is under way: its button waits, leaving is safe. */
export const selectPurchaseBusy = ({ purchase: { at } }: RootState): boolean =>
  at === "submitting" || at === "confirming" || at === "processing";
/** The popup of a failed purchase. */
export const selectPurchasePopup = ({ purchase: state }: RootState): { message: string } | null =>
  state.at === "failed" && state.popup ? { message: state.message } : null;
