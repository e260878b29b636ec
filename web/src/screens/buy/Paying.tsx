import { useEffect, useState, useSyncExternalStore } from "react";
import { useNavigate } from "react-router";
import { useDeviceNow } from "../../components/basic/now";
import { PayingDialog, type PayingState } from "../../components/shop/PayingDialog";
import type { Order } from "../../contracts/resources";
import { sentence } from "../../i18n/sentence";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { type Purchase, RETRY_INTERVAL } from "../../machines/purchase";
import { linkTo } from "../../navigation";
import { selectPaying } from "../../slices/checkout";
import { selectEventsById } from "../../slices/events";
import { selectOnline } from "../../slices/network";
import { selectOrder } from "../../slices/orders";
import { paymentActions, selectPayment, selectStartedHere } from "../../slices/payment";
import { popupOf, purchaseActions } from "../../slices/purchase";
import { useAppDispatch, useAppSelector } from "../state";
import { useAccount } from "../useAccount";
import { AUTOPLAY } from "../watch/autoplay";
import { NothingPaid } from "./NothingPaid";
import { type BuyTarget, isTargetOf } from "./product";
import { useOneShowing } from "./useOneShowing";

/** Minimum time that the paid state is displayed before playback, in milliseconds. */
const READ_FOR = 3_000;

type Interrupted = Extract<Purchase, { at: "interrupted" }>;

/** The step at which a purchase was interrupted, and whether it continues without the viewer. */
function cutOffAt({ orderId, confirmed }: Interrupted, order: Order | null) {
  if (orderId === null) return { step: "created", continues: false } as const;
  if (confirmed) return { step: "waiting", continues: true } as const;
  return { step: "confirmed", continues: order?.next_action === undefined } as const;
}

/** The purchase's dialog state; null if there is nothing to show. `reason`: the error message, if any. */
function payingOf(
  purchase: Purchase,
  order: Order | null,
  reason: string,
  since: number,
  online: boolean,
): PayingState | null {
  switch (purchase.at) {
    case "preparing":
    case "rejected":
      return null;
    case "submitting":
      return { at: "creating", since };
    case "confirming":
      return { at: "confirming", since };
    case "processing":
      // A card that the bank didn't ask about is confirmed by its charge.
      return { at: purchase.confirmed ? "waiting" : "confirming", since };
    case "interrupted":
      return {
        at: "interrupted",
        ...cutOffAt(purchase, order),
        // Network errors are meaningless to a viewer.
        reason: purchase.status === undefined ? null : reason,
        retryAt: purchase.orderId === null && online ? since + RETRY_INTERVAL : null,
      };
    case "succeeded":
      return { at: "succeeded" };
    case "failed":
      return purchase.popup ? { at: "failed", reason } : null;
    default:
      return purchase satisfies never;
  }
}

/** A new button press takes precedence over the result of the previous purchase. */
const busyOf = (paymentState: PayingState | null): PayingState | null =>
  paymentState === null || paymentState.at === "succeeded" || paymentState.at === "failed" ? null : paymentState;

interface PayingProps {
  readonly target: BuyTarget;
  /** Path to leave to while the payment continues. */
  readonly back: string;
  /** "Visa ending in 4242" */
  readonly card: string | null;
  /** The page's product, until the order is loaded. */
  readonly sells: { readonly name: string; readonly price: string } | null;
}

/** The dialog on the buy page, from the button press to the end of its purchase, also after a reload. */
export function Paying({ target, back, card, sells }: PayingProps) {
  const { t } = useTexts();
  const formats = useFormats();
  const dispatch = useAppDispatch();
  const navigate = useNavigate();
  const account = useAccount();
  const now = useDeviceNow(1_000);
  const purchase = useAppSelector(selectPayment);
  const orderId = "orderId" in purchase ? purchase.orderId : null;
  const order = useAppSelector(selectOrder(orderId ?? 0));
  const question = useSyncExternalStore(account.subscribe, account.question, () => null);
  // Each step counts its own seconds.
  const [step, setStep] = useState({ at: purchase.at, since: now, isNew: false });
  if (step.at !== purchase.at) setStep({ at: purchase.at, since: now, isNew: true });
  const reason = purchase.at === "failed" || purchase.at === "interrupted" ? sentence(t, purchase.message) : "";
  const online = useAppSelector(selectOnline);
  const paymentState = payingOf(purchase, order, reason, step.since, online);
  const paying = useAppSelector(selectPaying);
  const events = useAppSelector(selectEventsById);
  const purchasedEventId =
    purchase.at === "succeeded" && purchase.request.kind === "event" ? purchase.request.id : undefined;
  const isOn = purchasedEventId !== undefined && (events[purchasedEventId]?.stream_status ?? "upcoming") !== "upcoming";
  const isStartedHere = useAppSelector(selectStartedHere);
  const isOfTarget = "request" in purchase && isTargetOf(target, purchase.request);
  const paidHere = paying === null && purchase.at === "succeeded" && isOfTarget;
  // Returning to an earlier payment doesn't start playback, nor does another tab's.
  const willPlay = isOn && isStartedHere && step.isNew;
  const plays = willPlay && paidHere && now - step.since >= READ_FOR ? purchasedEventId : undefined;
  useEffect(() => {
    if (plays !== undefined) navigate(linkTo("watch", { id: plays }), { state: AUTOPLAY });
  }, [plays, navigate]);
  const notifiedOrderId = paidHere && !purchase.shown && question === null ? purchase.orderId : null;
  useEffect(() => {
    if (notifiedOrderId !== null) dispatch(purchaseActions.resultShown({ order_id: notifiedOrderId }));
  }, [dispatch, notifiedOrderId]);
  const isShowing = useOneShowing(paying === null && isOfTarget);
  const request = paying?.request ?? ("request" in purchase ? purchase.request : undefined);
  if (request === undefined || !isTargetOf(target, request)) return null;
  const state: PayingState | null =
    paying === null
      ? paymentState
      : ((isOfTarget ? busyOf(paymentState) : null) ?? { at: "creating", since: step.since });
  const close = () => dispatch(paymentActions.popupClosed());
  if (paying === null && popupOf(purchase) === "cutOff") {
    if (!isShowing) return null;
    const leave = target.kind === "event" ? t("buy.back.event") : t("buy.back.packages");
    return <NothingPaid onRetry={close} onLeave={() => navigate(back)} leave={leave} />;
  }
  // The bank's confirmation replaces it.
  if (state === null || question !== null || (state.at === "failed" && !isShowing)) return null;
  const price = order ? formats.money(order.total, order.currency) : (sells?.price ?? "");
  const isEvent = request.kind === "event";
  return (
    <PayingDialog
      state={state}
      price={request.kind === "trial" ? null : price}
      name={sells?.name ?? order?.product.name ?? ""}
      card={card}
      to={isEvent ? linkTo("watch", { id: request.id }) : linkTo("activeOrders")}
      isEvent={isEvent}
      plays={willPlay}
      toState={isOn ? AUTOPLAY : null}
      onLeave={() => {
        if (state.at === "failed") close();
        else navigate(state.at === "succeeded" && isEvent ? linkTo("watch", { id: request.id }) : back);
      }}
      onRetry={() => dispatch(purchaseActions.retryPressed())}
      onOtherCard={close}
    />
  );
}
