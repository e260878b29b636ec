import { useState } from "react";
import { useLocation } from "react-router";
import { Button } from "../../components/basic/Button";
import { Icon } from "../../components/basic/Icon";
import type { Order } from "../../contracts/resources";
import { sentence } from "../../i18n/sentence";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { renewalConfirmPressed } from "../../slices/account";
import { useAppDispatch } from "../state";
import { OtherCard } from "./OtherCard";
import "./RenewalFailed.css";

/** A banner on every page for a declined or unconfirmed renewal, until it is paid or has ended (SUB-6, SUB-9). */
export default function RenewalFailed({ order }: { readonly order: Order }) {
  const { t } = useTexts();
  const formats = useFormats();
  const { pathname } = useLocation();
  const dispatch = useAppDispatch();
  const [isOpen, setOpen] = useState(false);
  const { subscription } = order;
  // The subscription's own page shows it there.
  if (!subscription || pathname === linkTo("activeOrders")) return null;
  const price = formats.money(subscription.renewal_price ?? order.total, order.currency);
  const needsConfirmation = order.next_action !== undefined;
  const date = formats.date(Date.parse(subscription.next_charge_at ?? subscription.current_period_end));
  return (
    <div className="renewal-failed" role="status">
      <div className="wrap renewal-failed__row">
        <Icon name="alert" />
        <p className="renewal-failed__text">
          <b>{t(needsConfirmation ? "orders.confirmRenewal" : "orders.renewalFailed", { name: order.product.name })}</b>{" "}
          {needsConfirmation
            ? t("orders.confirmText", { name: order.product.name, price })
            : t("orders.pastDueText", { price, date, why: sentence(t, order.failure ?? "") })}
        </p>
        {needsConfirmation ? (
          <Button onClick={() => dispatch(renewalConfirmPressed({ order_id: order.id }))}>
            {t("orders.confirmPay", { price })}
          </Button>
        ) : (
          <Button onClick={() => setOpen(true)}>{t("orders.otherCard")}</Button>
        )}
      </div>
      {isOpen && <OtherCard order={order} onClose={() => setOpen(false)} />}
    </div>
  );
}
