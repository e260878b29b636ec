import { purchase as machine, type Purchase } from "../machines/purchase";
import type { RootState } from "./index";
import { machineSlice } from "./machineSlice";

export const purchase = machineSlice(machine);
export const purchaseActions = purchase.actions;

export const selectPurchase = (state: RootState): Purchase => state.purchase;
/** Something is under way: its button waits, leaving is safe. */
export const selectPurchaseBusy = ({ purchase: { at } }: RootState): boolean =>
  at === "submitting" || at === "confirming" || at === "processing";
/** The popup of a failed purchase. */
export const selectPurchasePopup = ({ purchase: state }: RootState): { message: string } | null =>
  state.at === "failed" && state.popup ? { message: state.message } : null;
