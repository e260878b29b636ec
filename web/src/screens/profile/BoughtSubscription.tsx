import { useState } from "react";
import { Button } from "../../components/basic/Button";
import { Dialog } from "../../components/basic/Dialog";
import { Icon } from "../../components/basic/Icon";
import { Notice } from "../../components/basic/Notice";
import { FormAlert } from "../../components/form/FormAlert";
import type { Order, SubscriptionState } from "../../contracts/resources";
import { sentence } from "../../i18n/sentence";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import type { AutoRenew } from "../../machines/autoRenew";
import { renewalConfirmPressed } from "../../slices/account";
import { viewerActed } from "../../slices/analytics";
import { autoRenewActions, selectAutoRenew } from "../../slices/autoRenew";
import { selectCards } from "../../slices/checkout";
import { selectOnline } from "../../slices/network";
import { useCardName } from "../buy/CardChoice";
import { useAppDispatch, useAppSelector } from "../state";
import { useOffered } from "../useOffered";
import { useRead } from "../useRead";
import { OtherCard } from "./OtherCard";

/** Whether the subscription ends with its current period. */
const ends = (order: Order, { at }: AutoRenew): boolean =>
  at === "cancelled" ||
  at === "finished" ||
  at === "keeping" ||
  at === "keepFailed" ||
  (at === "active" && order.subscription?.auto_renew !== "active");

/** The last day of use for a cancelled or past-due subscription. */
const usableUntil = ({ access_until, current_period_end }: SubscriptionState): string =>
  access_until ?? current_period_end;

/** Whether a cancellation can be undone: there is a card, and the current period is paid. */
const isResumable = (subscription: SubscriptionState): boolean =>
  subscription.payment_method_id !== undefined && usableUntil(subscription) === subscription.current_period_end;

/** The end of a cancelled subscription; null if it renews. */
export function useEnds(order: Order): string | null {
  const formats = useFormats();
  const state = useAppSelector(selectAutoRenew(order.product.id));
  const { subscription } = order;
  return subscription && ends(order, state) ? formats.date(Date.parse(usableUntil(subscription))) : null;
}

/** The next charge: date, amount and card. */
export function NextCharge({ order }: { readonly order: Order }) {
  const { t } = useTexts();
  const formats = useFormats();
  const state = useAppSelector(selectAutoRenew(order.product.id));
  const { subscription } = order;
  useRead({ method: "api.listCards", args: {} });
  const cards = useAppSelector(selectCards);
  const card = useCardName(cards?.find(({ id }) => id === subscription?.payment_method_id));
  if (!subscription) return null;
  const day = (moment: string) => formats.date(Date.parse(moment));
  if (ends(order, state)) return <>{t("orders.noNextCharge")}</>;
  const price = formats.money(subscription.renewal_price ?? order.total, order.currency);
  if (order.next_action !== undefined) return <>{t("orders.confirmCharge", { price })}</>;
  const isTrial = subscription.trial_end === subscription.current_period_end;
  const to = card === null ? "" : ` ${t("orders.to", { card })}`;
  const date = day((subscription.past_due && subscription.next_charge_at) || subscription.current_period_end);
  const what = subscription.past_due ? "orders.nextTry" : isTrial ? "orders.firstCharge" : "orders.nextCharge";
  return (
    <>
      {t(what, { date, price })}
      {to}. {t(subscription.annual ? "orders.everyYear" : "orders.every")}
    </>
  );
}

/** An unpaid renewal: reason, deadline and payment. The bank may require confirmation (SUB-9). */
function PastDue({ order, onOtherCard }: { readonly order: Order; readonly onOtherCard: () => void }) {
  const { t } = useTexts();
  const formats = useFormats();
  const dispatch = useAppDispatch();
  const { subscription } = order;
  if (!subscription) return null;
  const needsConfirmation = order.next_action !== undefined;
  const price = formats.money(subscription.renewal_price ?? order.total, order.currency);
  const date = formats.date(Date.parse(subscription.next_charge_at ?? subscription.current_period_end));
  const until = formats.date(Date.parse(usableUntil(subscription)));
  return (
    <Notice tone={needsConfirmation ? "warning" : "danger"} alert>
      <b>{t(needsConfirmation ? "orders.confirmRenewal" : "orders.pastDue")}</b>
      <p>
        {needsConfirmation
          ? t("orders.confirmText", { name: order.product.name, price })
          : t("orders.pastDueText", { price, date, why: sentence(t, order.failure ?? "") })}
      </p>
      {order.activity_status === "active" && <p>{t("orders.watchUntil", { date: until })}</p>}
      {needsConfirmation && (
        <Button look="primary" onClick={() => dispatch(renewalConfirmPressed({ order_id: order.id }))}>
          {t("orders.confirmPay", { price })}
        </Button>
      )}
      <Button look={needsConfirmation ? "second" : "primary"} onClick={onOtherCard}>
        {t("orders.otherCardPay", { price })}
      </Button>
    </Notice>
  );
}

/** Buttons to cancel, undo a cancellation and change the card (SUB-3). */
export function BoughtSubscription({ order }: { readonly order: Order }) {
  const { t } = useTexts();
  const formats = useFormats();
  const dispatch = useAppDispatch();
  const online = useAppSelector(selectOnline);
  const state = useAppSelector(selectAutoRenew(order.product.id));
  const canResume = useOffered("stripe/subscription/resume");
  const takesCards = useOffered("stripe/subscription/use_card");
  const [open, setOpen] = useState<"cancel" | "card" | null>(null);
  const { subscription } = order;
  if (!subscription) return null;
  const key = String(order.product.id);
  const date = formats.date(Date.parse(usableUntil(subscription)));
  const isOpen = order.activity_status === "active";
  const price = formats.money(subscription.renewal_price ?? order.total, order.currency);
  const close = () => setOpen(null);
  const openCancellation = () => {
    dispatch(viewerActed({ event: "cancellation_opened", extras: { subscription_id: key } }));
    setOpen("cancel");
  };
  if (ends(order, state))
    return (
      <div className="stack stack--tight">
        <p role="status">{t("orders.stopped", { date })}</p>
        <p className="type-meta muted">{t("orders.receiptSent")}</p>
        {isResumable(subscription) && canResume && (
          <>
            <Button busy={state.at === "keeping"} onClick={() => dispatch(autoRenewActions.keepPressed({ key }))}>
              {t("orders.undo")}
            </Button>
            <p className="type-meta muted">{t("orders.undoText", { date, price })}</p>
          </>
        )}
        {state.at === "keepFailed" && (
          <FormAlert refusal={state}>{sentence(t, state.message) || t("orders.keepFailed")}</FormAlert>
        )}
      </div>
    );
  return (
    <div className="stack stack--tight">
      {subscription.past_due && (takesCards || order.next_action !== undefined) && (
        <PastDue order={order} onOtherCard={() => setOpen("card")} />
      )}
      <div className="owned__acts">
        {!subscription.past_due && takesCards && (
          <Button onClick={() => setOpen("card")}>{t("orders.otherCard")}</Button>
        )}
        <Button busy={state.at === "cancelling"} onClick={openCancellation}>
          {t("orders.stop")}
        </Button>
      </div>
      {state.at === "cancelling" && !online && (
        <p className="type-meta" role="status">
          {t("orders.stopOffline")}
        </p>
      )}
      {state.at === "failed" && (
        <FormAlert refusal={state}>{sentence(t, state.message) || t("orders.stopFailed")}</FormAlert>
      )}
      {open === "card" && <OtherCard order={order} onClose={close} />}
      {open === "cancel" && (
        <Dialog title={t(isOpen ? "orders.stopTitle" : "orders.stopNow", { date })} onClose={close}>
          <div className="stack">
            <ul className="owned__ends">
              {isOpen && (
                <li>
                  <Icon name="check" size="small" /> {t("orders.stopWatch", { date })}
                </li>
              )}
              <li>
                <Icon name="check" size="small" /> {t("orders.stopOthers")}
              </li>
              <li>
                <Icon name="close" size="small" />{" "}
                {t(subscription.past_due ? "orders.stopPastDue" : "orders.stopText", { date })}
              </li>
            </ul>
            <div className="owned__acts">
              <Button
                onClick={() => {
                  dispatch(autoRenewActions.cancelPressed({ key }));
                  close();
                }}
              >
                {t("orders.stop")}
              </Button>
              <Button onClick={close}>{t("orders.keep")}</Button>
            </div>
          </div>
        </Dialog>
      )}
    </div>
  );
}
