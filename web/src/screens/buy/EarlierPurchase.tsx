import { useEffect, useRef, useState } from "react";
import { useStore } from "react-redux";
import { useSearchParams } from "react-router";
import { ButtonLink } from "../../components/basic/Button";
import { Notice } from "../../components/basic/Notice";
import { useTexts } from "../../i18n/useTexts";
import type { Purchase } from "../../machines/purchase";
import type { RootState } from "../../slices";
import { checkoutActions, selectCoupon } from "../../slices/checkout";
import { selectOrder } from "../../slices/orders";
import { popupOf, purchaseActions, selectPurchase } from "../../slices/purchase";
import { useAppDispatch, useAppSelector } from "../state";
import { PROMO_CODE } from "./Promo";
import { type Asked, isAsked, linkToPurchase, orderTypeOf } from "./product";
import { wasDisplayed } from "./useOneShowing";

/** Whether what became of the last purchase is still to be shown on the page that sells it. */
function isTold({ kind, id }: Pick<Asked, "kind" | "id">, state: RootState): boolean {
  const purchase = selectPurchase(state);
  const request = "request" in purchase ? purchase.request : undefined;
  if (request === undefined || kind !== request.kind || id !== request.id) return false;
  if (purchase.at === "failed" || purchase.at === "rejected") return popupOf(purchase) !== null;
  // What was paid back may be bought again.
  return purchase.at !== "succeeded" || selectOrder(purchase.orderId)(state)?.status === "paid";
}

/**
 * Begins a purchase of what the page sells, unless one of it is under way or its result waits to be seen. The promo code
 * that its address names is applied (PAY-6).
 */
export function usePageOpened(asked: Asked): void {
  const dispatch = useAppDispatch();
  const store = useStore<RootState>();
  const { kind, id } = asked;
  const [params] = useSearchParams();
  const [code] = useState(params.get(PROMO_CODE));
  // As the page opened: by its effects it has shown it itself.
  const [isOver] = useState(() => wasDisplayed(selectPurchase(store.getState())));
  useEffect(() => {
    // An address that names nothing is one that a bank leads back to: its purchase is still to be shown.
    if (id === null) return;
    if (isOver || !isTold({ kind, id }, store.getState())) {
      dispatch(purchaseActions.opened());
      dispatch(checkoutActions.pageOpened());
    }
    if (code && kind !== "trial" && selectCoupon(store.getState()).at === "none")
      dispatch(checkoutActions.couponEntered({ type: orderTypeOf(kind), id, code }));
  }, [dispatch, store, kind, id, code, isOver]);
}

/** Leaving a page that told that its purchase is paid: the result is seen, and is not told at the same address again. */
export function useResultSeen(asked: Asked): void {
  const dispatch = useAppDispatch();
  const store = useStore<RootState>();
  const last = useRef(asked);
  useEffect(() => {
    last.current = asked;
  });
  useEffect(
    () => () => {
      const purchase = selectPurchase(store.getState());
      if (purchase.at === "succeeded" && isAsked(last.current, purchase.request)) dispatch(purchaseActions.opened());
    },
    [dispatch, store],
  );
}

/** Whether what the page sells was the last purchase, and paid, when it was opened: there is no form behind it. */
export function useWasPaid(asked: Asked): boolean {
  const purchase = useAppSelector(selectPurchase);
  const isPaid = purchase.at === "succeeded" && isAsked(asked, purchase.request);
  const [wasPaid] = useState(isPaid);
  return wasPaid && isPaid;
}

/** Whether the last purchase is one of which a page had told before this one was opened: its dialog does not come again. */
export function useToldBefore(): boolean {
  const purchase = useAppSelector(selectPurchase);
  const shown = purchase.at === "succeeded" && purchase.shown ? purchase.orderId : null;
  const [before] = useState(shown);
  return shown !== null && shown === before;
}

/** A purchase of something else is under way: only one at a time can be. */
export function EarlierPurchase({ of }: { readonly of: Extract<Purchase, { key: string }> }) {
  const { t } = useTexts();
  const order = useAppSelector(selectOrder("orderId" in of ? (of.orderId ?? 0) : 0));
  return (
    <Notice tone="warning">
      <p>{order === null ? t("buy.earlierUnnamed") : t("buy.earlier", { name: order.product.name })}</p>
      <ButtonLink look="quiet" to={linkToPurchase(of.request)}>
        {t("buy.toEarlier")}
      </ButtonLink>
    </Notice>
  );
}
