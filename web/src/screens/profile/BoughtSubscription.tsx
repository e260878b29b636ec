import { useState } from "react";
import { Button } from "../../components/basic/Button";
import { Dialog } from "../../components/basic/Dialog";
import { Notice } from "../../components/basic/Notice";
import type { Order } from "../../contracts/resources";
import { sentence } from "../../i18n/sentence";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import type { AutoRenew } from "../../machines/autoRenew";
import { autoRenewActions, selectAutoRenew } from "../../slices/autoRenew";
import { selectCards } from "../../slices/checkout";
import { selectOnline } from "../../slices/network";
import { useCardName } from "../buy/CardChoice";
import { useAppDispatch, useAppSelector } from "../state";
import { useRead } from "../useRead";
import { OtherCard } from "./OtherCard";

/** Whether the viewer sees it as ending with its period. */
const ends = (order: Order, { at }: AutoRenew): boolean =>
  at === "cancelled" ||
  at === "finished" ||
  at === "keeping" ||
  at === "keepFailed" ||
  (at === "active" && order.subscription?.auto_renew !== "active");

/** What is charged next, and from which card: one date, one sum, one card. */
export function NextCharge({ order }: { readonly order: Order }) {
  const { t } = useTexts();
  const formats = useFormats();
  const state = useAppSelector(selectAutoRenew(order.product.id));
  const { subscription } = order;
  useRead({ method: "api.listCards", args: {} });
  const cards = useAppSelector(selectCards);
  const card = useCardName(cards?.find(({ id }) => id === subscription?.payment_method_id));
  if (!subscription) return null;
  const date = formats.date(Date.parse(subscription.current_period_end));
  if (ends(order, state)) return <>{t("orders.ends", { date })}</>;
  const price = formats.money(subscription.renewal_price ?? order.total, order.currency);
  const isTrial = subscription.trial_end === subscription.current_period_end;
  const to = card === null ? "" : ` ${t("orders.to", { card })}`;
  return (
    <>
      {t(isTrial ? "orders.firstCharge" : "orders.nextCharge", { date, price })}
      {to}. {t(subscription.annual ? "orders.everyYear" : "orders.every")}
    </>
  );
}

/** A renewal that was refused: why, until when, and the one thing that mends it. */
function PastDue({ order, onOtherCard }: { readonly order: Order; readonly onOtherCard: () => void }) {
  const { t } = useTexts();
  const formats = useFormats();
  const { subscription } = order;
  if (!subscription) return null;
  const price = formats.money(subscription.renewal_price ?? order.total, order.currency);
  const date = formats.date(Date.parse(subscription.next_charge_at ?? subscription.current_period_end));
  return (
    <Notice tone="danger" alert>
      <b>{t("orders.pastDue")}</b>
      <p>{t("orders.pastDueText", { price, date, why: sentence(t, order.failure ?? "") })}</p>
      <Button look="primary" onClick={onOtherCard}>
        {t("orders.otherCardPay", { price })}
      </Button>
    </Notice>
  );
}

/** Cancelling, undoing it, and another card: each a press from here (SUB-3). */
export function BoughtSubscription({ order }: { readonly order: Order }) {
  const { t } = useTexts();
  const formats = useFormats();
  const dispatch = useAppDispatch();
  const online = useAppSelector(selectOnline);
  const state = useAppSelector(selectAutoRenew(order.product.id));
  const [open, setOpen] = useState<"cancel" | "card" | null>(null);
  const { subscription } = order;
  if (!subscription) return null;
  const key = String(order.product.id);
  const date = formats.date(Date.parse(subscription.current_period_end));
  const price = formats.money(subscription.renewal_price ?? order.total, order.currency);
  const close = () => setOpen(null);
  if (ends(order, state))
    return (
      <div className="stack stack--tight">
        <p role="status">{t("orders.stopped", { date })}</p>
        <p className="type-meta muted">{t("orders.receiptSent")}</p>
        {subscription.payment_method_id !== undefined && (
          <>
            <Button busy={state.at === "keeping"} onClick={() => dispatch(autoRenewActions.keepPressed({ key }))}>
              {t("orders.undo")}
            </Button>
            <p className="type-meta muted">{t("orders.undoText", { date, price })}</p>
          </>
        )}
        {state.at === "keepFailed" && (
          <p className="field__error" role="alert">
            {sentence(t, state.message) || t("orders.keepFailed")}
          </p>
        )}
      </div>
    );
  return (
    <div className="stack stack--tight">
      {subscription.past_due && <PastDue order={order} onOtherCard={() => setOpen("card")} />}
      <div className="owned__acts">
        {!subscription.past_due && <Button onClick={() => setOpen("card")}>{t("orders.otherCard")}</Button>}
        <Button busy={state.at === "cancelling"} onClick={() => setOpen("cancel")}>
          {t("orders.stop")}
        </Button>
      </div>
      {state.at === "cancelling" && !online && (
        <p className="type-meta" role="status">
          {t("orders.stopOffline")}
        </p>
      )}
      {state.at === "failed" && (
        <p className="field__error" role="alert">
          {sentence(t, state.message) || t("orders.stopFailed")}
        </p>
      )}
      {open === "card" && <OtherCard order={order} onClose={close} />}
      {open === "cancel" && (
        <Dialog title={t("orders.stopTitle", { date })} onClose={close}>
          <div className="stack">
            <p>{t("orders.stopText", { date })}</p>
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
