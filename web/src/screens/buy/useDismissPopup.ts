import { useLayoutEffect } from "react";
import { useStore } from "react-redux";
import type { RootState } from "../../slices";
import { popupOf, purchaseActions, selectPurchase } from "../../slices/purchase";
import { useAppDispatch } from "../state";

/** What a dialog says of a purchase is said once the viewer leaves it: it does not come again on another page (PAY-2). */
export function useDismissPopup(isShown: boolean, place: string): void {
  const dispatch = useAppDispatch();
  const store = useStore<RootState>();
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- Another place is another page.
  useLayoutEffect(() => {
    if (!isShown) return;
    return () => {
      if (popupOf(selectPurchase(store.getState())) !== null) dispatch(purchaseActions.popupClosed());
    };
  }, [dispatch, store, isShown, place]);
}
