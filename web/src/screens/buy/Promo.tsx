import { useState } from "react";
import { Button } from "../../components/Button";
import { Field } from "../../components/form/Field";
import { Icon } from "../../components/Icon";
import type { Id, OrderType } from "../../contracts/resources";
import { sentence } from "../../i18n/sentence";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { checkoutActions, selectCoupon } from "../../slices/checkout";
import { useAppDispatch, useAppSelector } from "../state";

interface PromoProps {
  readonly type: OrderType;
  readonly id: Id;
}

/** A promo code: entered, checked, taken off (PAY-6). */
export function Promo({ type, id }: PromoProps) {
  const { t } = useTexts();
  const formats = useFormats();
  const dispatch = useAppDispatch();
  const coupon = useAppSelector(selectCoupon);
  const [open, setOpen] = useState(false);
  const [code, setCode] = useState("");
  if (coupon.at === "applied") {
    const { discount, base_price, currency } = coupon.coupon;
    // Cents are rounded: 20 % of 7.99 is 1.60.
    const percent = base_price > 0 ? Math.round((discount * 100) / base_price) : 0;
    const off =
      Math.round((base_price * percent) / 100) === discount
        ? t("buy.promoPercent", { percent: formats.percent(percent / 100) })
        : t("buy.promoAmount", { amount: formats.money(discount, currency) });
    return (
      <div className="promo">
        <Field
          label={t("buy.promo")}
          value={coupon.coupon.code}
          readOnly
          help={
            <span className="promo__off">
              <Icon name="check" size="small" />
              {off}
            </span>
          }
        />
        <Button
          onClick={() => {
            dispatch(checkoutActions.couponRemoved());
            setCode("");
          }}
        >
          {t("buy.removePromo")}
        </Button>
      </div>
    );
  }
  if (!open && coupon.at === "none") {
    return (
      <Button look="quiet" className="promo__open" onClick={() => setOpen(true)}>
        {t("buy.addPromo")}
      </Button>
    );
  }
  return (
    <form
      className="promo"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (code.trim() !== "") dispatch(checkoutActions.couponEntered({ type, id, code: code.trim() }));
      }}
    >
      <Field
        label={t("buy.promo")}
        value={code}
        maxLength={50}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        onChange={(event) => setCode(event.currentTarget.value)}
        error={coupon.at === "refused" ? sentence(t, coupon.message) : undefined}
      />
      <Button type="submit" busy={coupon.at === "checking"}>
        {t("buy.applyPromo")}
      </Button>
    </form>
  );
}
