import { useEffect, useState } from "react";
import type { Id } from "../../contracts/resources";
import type { Purchase } from "../../machines/purchase";
import { selectPayment } from "../../slices/payment";
import { popupOf, purchaseActions } from "../../slices/purchase";
import { selectVisible } from "../../slices/tabs";
import { useAppDispatch, useAppSelector } from "../state";

/** The order of a purchase that ended without a payment; null if it has none. */
function endOf(purchase: Purchase): { readonly orderId: Id | null; readonly shown: boolean } | null {
  const popup = popupOf(purchase);
  if (purchase.at === "failed" && popup === "failed")
    return { orderId: purchase.orderId, shown: purchase.shown === true };
  if (purchase.at === "rejected" && popup === "cutOff") return { orderId: null, shown: purchase.shown === true };
  return null;
}

/** Whether an earlier page displayed the purchase's end. */
export const wasDisplayed = (purchase: Purchase): boolean => endOf(purchase)?.shown === true;

/**
 * Whether this page displays the dialog of a purchase that ended without a payment (PAY-2, PAY-12): the first page the
 * viewer sees does, while it is open, and no other. `isHere`: the dialog belongs on this page.
 */
export function useOneShowing(isHere: boolean): boolean {
  const dispatch = useAppDispatch();
  const end = endOf(useAppSelector(selectPayment));
  const isVisible = useAppSelector(selectVisible);
  const [isShowing, setShowing] = useState(false);
  const isNew = isHere && isVisible && end !== null && !end.shown;
  const showing = end !== null && isHere && (isShowing || isNew);
  if (showing !== isShowing) setShowing(showing);
  const orderId = end?.orderId;
  useEffect(() => {
    if (isNew && orderId !== undefined) dispatch(purchaseActions.resultShown({ order_id: orderId }));
  }, [dispatch, isNew, orderId]);
  return showing;
}
