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
import { paymentActions, selectPayment } from "../../slices/payment";
import { popupOf } from "../../slices/purchase";
import { useAppDispatch, useAppSelector } from "../state";
import { useAccount } from "../useAccount";
import { PROMO_CODE } from "./Promo";
import { type BuyTarget, isTargetOf, linkToPurchase, orderTypeOf } from "./product";
import { wasDisplayed } from "./useOneShowing";

/** Whether the last purchase's result still has to be displayed on its page. */
function isResultPending({ kind, id }: Pick<BuyTarget, "kind" | "id">, state: RootState): boolean {
  const purchase = selectPayment(state);
  const request = "request" in purchase ? purchase.request : undefined;
  if (request === undefined || kind !== request.kind || id !== request.id) return false;
  if (purchase.at === "failed" || purchase.at === "rejected") return popupOf(purchase) !== null;
  // A refunded purchase can be bought again.
  return purchase.at !== "succeeded" || selectOrder(purchase.orderId)(state)?.status === "paid";
}

/**
 * Starts a purchase of the page's product, unless one is in progress or its result is not displayed yet. Applies the
 * promo code of the address (PAY-6).
 */
export function usePageOpened(target: BuyTarget): void {
  const dispatch = useAppDispatch();
  const store = useStore<RootState>();
  const { kind, id } = target;
  const [params] = useSearchParams();
  const [code] = useState(params.get(PROMO_CODE));
  const { standIn } = useAccount();
  // At mount: the page's own effects mark the result as displayed.
  const [isOver] = useState(() => wasDisplayed(selectPayment(store.getState())));
  useEffect(() => {
    // A bank returns to an address without a product: its purchase still has to be displayed.
    if (id === null) return;
    if (isOver || !isResultPending({ kind, id }, store.getState())) {
      dispatch(paymentActions.closed());
      dispatch(checkoutActions.pageOpened());
    }
    if (code && kind !== "trial" && selectCoupon(store.getState()).at === "none")
      dispatch(checkoutActions.couponEntered({ type: orderTypeOf(kind), id, code: standIn(code) }));
  }, [dispatch, store, kind, id, code, isOver, standIn]);
}

/** On leaving a page that displayed a paid purchase, marks the result as seen. */
export function useResultSeen(target: BuyTarget): void {
  const dispatch = useAppDispatch();
  const store = useStore<RootState>();
  const last = useRef(target);
  useEffect(() => {
    last.current = target;
  });
  useEffect(
    () => () => {
      const purchase = selectPayment(store.getState());
      if (purchase.at === "succeeded" && isTargetOf(last.current, purchase.request)) dispatch(paymentActions.closed());
    },
    [dispatch, store],
  );
}

/** Whether the page's product was already paid when the page opened: then it has no form. */
export function useWasPaid(target: BuyTarget): boolean {
  const purchase = useAppSelector(selectPayment);
  const isPaid = purchase.at === "succeeded" && isTargetOf(target, purchase.request);
  const [wasPaid] = useState(isPaid);
  return wasPaid && isPaid;
}

/** Whether an earlier page displayed the last purchase's result: its dialog doesn't appear again. */
export function useDisplayedBefore(): boolean {
  const purchase = useAppSelector(selectPayment);
  const displayedId = purchase.at === "succeeded" && purchase.shown ? purchase.orderId : null;
  const [before] = useState(displayedId);
  return displayedId !== null && displayedId === before;
}

/** A purchase of another product is in progress: only one can be at a time. */
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
