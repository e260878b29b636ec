import { useNavigate } from "react-router";
import { Button } from "../../components/basic/Button";
import { Dialog } from "../../components/basic/Dialog";
import { PriceSum, type SumLine } from "../../components/shop/PriceSum";
import type { CurrentPrice } from "../../contracts/resources";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import type { PurchaseRequest, QuotedPrice } from "../../machines/purchase";
import { paymentActions, selectPayment } from "../../slices/payment";
import { popupOf, purchaseActions } from "../../slices/purchase";
import { useAppDispatch, useAppSelector } from "../state";
import { type BuyTarget, choiceOf, isTargetOf, type Product } from "./product";

/** The price in a refusal, as the next attempt sends it. */
const quotedPriceOf = (price: CurrentPrice, { kind }: Pick<PurchaseRequest, "kind">): QuotedPrice => ({
  total: price.total,
  ...(kind === "trial" ? {} : { service_fee: price.service_fee }),
  ...(price.renewal_price === undefined ? {} : { renewal_price: price.renewal_price }),
  ...(price.trial_days === undefined ? {} : { trial_days: price.trial_days }),
  currency: price.currency,
});

interface PriceChangedProps {
  readonly target: BuyTarget;
  readonly product: Product;
}

/**
 * Before anything is charged, shows that the price has changed (PAY-10). The old price is never charged, the new one
 * only after another press.
 */
export function PriceChanged({ target, product }: PriceChangedProps) {
  const purchase = useAppSelector(selectPayment);
  if (purchase.at !== "rejected" || popupOf(purchase) !== "priceChanged") return null;
  const { request, price } = purchase;
  if (request === undefined || price === undefined || !isTargetOf(target, request)) return null;
  return <Asking target={target} product={product} request={request} price={price} />;
}

interface AskingProps extends PriceChangedProps {
  readonly request: PurchaseRequest;
  readonly price: CurrentPrice;
}

function Asking({ target, product, request, price }: AskingProps) {
  const { t } = useTexts();
  const formats = useFormats();
  const dispatch = useAppDispatch();
  const navigate = useNavigate();
  const money = (minor: number) => formats.money(minor, price.currency);
  const period = product.period === "year" ? t("packages.annual") : t("packages.monthly");
  const renewal = (minor: number, currency: string) =>
    t("buy.after", { price: formats.money(minor, currency), period });
  const { shown, payment_method_id, save_card } = request;
  const isTrial = price.trial_days !== undefined;
  const isDearer = shown === undefined || shown.total !== price.total || shown.currency !== price.currency;
  const what = {
    event: t("buy.single"),
    package: t("buy.package"),
    subscription: t("buy.subscription"),
    trial: t("buy.subscription"),
  };
  const before: SumLine[] = shown === undefined ? [] : oldLines(shown);
  function oldLines(old: QuotedPrice): SumLine[] {
    const days = old.trial_days;
    const first = days === undefined ? formats.money(old.total, old.currency) : t("packages.trial", { count: days });
    const isOther = { days: days !== price.trial_days, renewal: old.renewal_price !== price.renewal_price };
    return [
      ...(isDearer || isOther.days ? [{ key: "was", label: t("buy.was"), amount: first, struck: true }] : []),
      ...(old.renewal_price !== undefined && isOther.renewal
        ? [{ key: "renewal", label: t("buy.was"), amount: renewal(old.renewal_price, old.currency), struck: true }]
        : []),
    ];
  }
  const now: SumLine[] = isTrial
    ? [{ key: "trial", label: t("packages.trial", { count: price.trial_days ?? 0 }), amount: money(0) }]
    : [
        { key: "base", label: what[target.kind], amount: money(price.base_price) },
        ...(price.discount > 0
          ? [{ key: "coupon", label: price.promo_code ?? t("buy.promo"), amount: `−${money(price.discount)}` }]
          : []),
        { key: "fee", label: t("buy.fee"), amount: money(price.service_fee) },
      ];
  const close = () => dispatch(paymentActions.popupClosed());
  const pay = () => {
    // The card was entered before the price changed. Without a card, the viewer returns to its form.
    if (payment_method_id === null) return close();
    dispatch(
      purchaseActions.submitPressed({
        choice: {
          ...choiceOf(target),
          payment_method_id,
          ...(save_card === undefined ? {} : { save_card }),
          ...(price.promo_code === undefined ? {} : { promo_code: price.promo_code }),
          shown: quotedPriceOf(price, request),
        },
      }),
    );
  };
  return (
    <Dialog
      title={isDearer ? t("buy.priceNow", { price: money(price.total) }) : t("buy.termsNow")}
      subtitle={isDearer ? t("buy.priceNowText") : t("buy.termsNowText")}
      onClose={close}
      bare
    >
      <PriceSum
        lines={[...before, ...now]}
        total={{ label: isTrial ? t("buy.today") : t("buy.totalNow"), amount: money(price.total) }}
      />
      {price.renewal_price !== undefined && (
        <p className="type-meta muted figures">{renewal(price.renewal_price, price.currency)}</p>
      )}
      <div className="stack stack--tight">
        <Button look="primary" size="big" block onClick={pay}>
          {isTrial ? t("buy.startTrial") : t("buy.pay", { price: money(price.total) })}
        </Button>
        <p className="type-meta muted buy__final">{t("buy.final")}</p>
        <Button
          look="quiet"
          block
          onClick={() => {
            close();
            void navigate(product.back);
          }}
        >
          {t("buy.notNow")}
        </Button>
      </div>
    </Dialog>
  );
}
