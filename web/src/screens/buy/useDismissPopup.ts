import { useLayoutEffect } from "react";
import { useStore } from "react-redux";
import type { RootState } from "../../slices";
import { paymentActions, selectPayment } from "../../slices/payment";
import { popupOf } from "../../slices/purchase";
import { useAppDispatch } from "../state";

/** Dismisses a purchase's dialog when the viewer leaves it: it doesn't appear again on another page (PAY-2). */
export function useDismissPopup(isShown: boolean, place: string): void {
  const dispatch = useAppDispatch();
  const store = useStore<RootState>();
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- Another place is another page.
  useLayoutEffect(() => {
    if (!isShown) return;
    return () => {
      if (popupOf(selectPayment(store.getState())) !== null) dispatch(paymentActions.popupClosed());
    };
  }, [dispatch, store, isShown, place]);
}
