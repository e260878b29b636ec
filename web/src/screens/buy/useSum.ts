import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import type { QuotedPrice } from "../../machines/purchase";
import { selectCoupon } from "../../slices/checkout";
import { useAppSelector } from "../state";
import type { BuyTarget, Product } from "./product";

/** The price breakdown, including a promo code's discount. */
export function useSum(target: BuyTarget, product: Product) {
  const { t } = useTexts();
  const formats = useFormats();
  const applied = useAppSelector(selectCoupon);
  const coupon = applied.at === "applied" ? applied.coupon : null;
  const currency = coupon ? coupon.currency : product.currency;
  const money = (minor: number) => formats.money(minor, currency);
  const [base, fee] = coupon ? [coupon.base_price, coupon.service_fee] : [product.basePrice, product.serviceFee];
  const total = coupon ? coupon.total : base + fee;
  const what = {
    event: t("buy.single"),
    package: t("buy.package"),
    subscription: t("buy.subscription"),
    trial: t("buy.subscription"),
  };
  const lines = [
    { key: "base", label: what[target.kind], amount: money(base) },
    ...(coupon ? [{ key: "coupon", label: coupon.code, amount: `−${money(coupon.discount)}` }] : []),
    { key: "fee", label: t("buy.fee"), amount: money(fee) },
  ];
  const trial = product.trialDays > 0;
  const period = product.period === "year" ? t("packages.annual") : t("packages.monthly");
  // A code discounts only the first period (PAY-6).
  const renewal = base + fee;
  const renews = product.period === null ? {} : { renewal_price: renewal };
  const quoted: QuotedPrice = trial
    ? { total: 0, ...renews, trial_days: product.trialDays, currency }
    : { total, service_fee: fee, ...renews, currency };
  return {
    lines: trial
      ? [{ key: "trial", label: t("packages.trial", { count: product.trialDays }), amount: money(0) }]
      : lines,
    total: { label: trial ? t("buy.today") : t("buy.total"), amount: money(trial ? 0 : total) },
    afterwards: product.period === null ? null : t("buy.after", { price: money(renewal), period }),
    button: trial ? t("buy.startTrial") : t("buy.pay", { price: money(total) }),
    code: coupon?.code ?? null,
    shown: quoted,
  };
}
