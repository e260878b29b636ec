import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { Button } from "../../components/basic/Button";
import { Icon } from "../../components/basic/Icon";
import { Field } from "../../components/form/Field";
import { reveal } from "../../components/form/reveal";
import type { Id, OrderType } from "../../contracts/resources";
import { sentence } from "../../i18n/sentence";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { type CouponState, checkoutActions, selectCoupon } from "../../slices/checkout";
import { useAppDispatch, useAppSelector } from "../state";
import { useAccount } from "../useAccount";

interface PromoProps {
  readonly type: OrderType;
  readonly id: Id;
  readonly entry: PromoEntry;
}

/** The query key of the applied code, so that it survives a reload (PAY-6). */
export const PROMO_CODE = "promo_code";

/** A promo code being entered. */
export interface PromoEntry {
  readonly isOpen: boolean;
  /** Initial code of a new field. */
  readonly code: string;
  /** Reads the field (FORM-4); private parts are replaced by stand-ins (LOG-2). */
  readonly read: () => string;
  /** Whether the field has this code, in upper or lower case. */
  readonly has: (code: string) => boolean;
  /** The problem to fix before paying; a new object for each press. */
  readonly fault: { readonly kind: PromoFault } | null;
  readonly field: RefObject<HTMLInputElement | null>;
  readonly open: () => void;
  readonly type: (code: string) => void;
  /** Removes the code from the purchase and from the address. */
  readonly remove: () => void;
  readonly find: (fault: PromoFault) => void;
}

type PromoFault = "empty" | "unapplied";

export function usePromoEntry(): PromoEntry {
  const { standIn } = useAccount();
  const [isOpen, setOpen] = useState(false);
  const [params, setParams] = useSearchParams();
  const named = params.get(PROMO_CODE);
  const coupon = useAppSelector(selectCoupon);
  const [code, setCode] = useState(named ?? "");
  const [fault, setFault] = useState<PromoEntry["fault"]>(null);
  const field = useRef<HTMLInputElement>(null);
  const applied = coupon.at === "applied" ? coupon.coupon.code : null;
  const storeInUrl = useCallback(
    (promoCode: string | null) =>
      setParams(
        (now) => {
          const next = new URLSearchParams(now);
          if (promoCode === null) next.delete(PROMO_CODE);
          else next.set(PROMO_CODE, promoCode);
          return next;
        },
        { replace: true, preventScrollReset: true },
      ),
    [setParams],
  );
  useEffect(() => {
    if (applied !== null && applied !== named) storeInUrl(applied);
  }, [applied, named, storeInUrl]);
  const read = () => standIn((field.current?.value ?? code).trim());
  return {
    isOpen,
    code,
    read,
    // The worker's answer has no stand-ins.
    has: (other) => standIn(other).toLowerCase() === read().toLowerCase(),
    fault,
    field,
    open: () => setOpen(true),
    type: (typed) => {
      setCode(typed);
      setFault(null);
    },
    remove: () => {
      setCode("");
      storeInUrl(null);
    },
    find: (kind) => setFault({ kind }),
  };
}

/** Whether a code was entered whose discount is not applied. */
export function isUnapplied(coupon: CouponState, { read, has }: PromoEntry): boolean {
  return read() !== "" && coupon.at !== "applied" && !(coupon.at === "refused" && has(coupon.code));
}

/** The promo code field: enter, check, remove (PAY-6). */
export function Promo({ type, id, entry }: PromoProps) {
  const { isOpen, field, fault } = entry;
  const coupon = useAppSelector(selectCoupon);
  const container = useRef<HTMLDivElement>(null);
  // When the pressed button is gone, the field gets the focus, unless the viewer has moved it elsewhere.
  useEffect(() => {
    const focused = document.activeElement;
    const isHere = focused === document.body || container.current?.contains(focused);
    if (isOpen && coupon.at !== "checking" && isHere && field.current) reveal(field.current);
  }, [isOpen, coupon, field]);
  useEffect(() => {
    if (fault !== null && field.current) reveal(field.current);
  }, [fault, field]);
  return (
    <div ref={container} aria-live="polite">
      <PromoField type={type} id={id} entry={entry} />
    </div>
  );
}

function PromoField({ type, id, entry }: PromoProps) {
  const { t } = useTexts();
  const formats = useFormats();
  const dispatch = useAppDispatch();
  const coupon = useAppSelector(selectCoupon);
  const { isOpen, code, fault, field } = entry;
  if (coupon.at === "applied") {
    const { discount, base_price, currency } = coupon.coupon;
    // Cents are rounded: 20% of 7.99 is 1.60.
    const percent = base_price > 0 ? Math.round((discount * 100) / base_price) : 0;
    const off =
      Math.round((base_price * percent) / 100) === discount
        ? t("buy.promoPercent", { percent: formats.percent(percent / 100) })
        : t("buy.promoAmount", { amount: formats.money(discount, currency) });
    return (
      <div className="promo">
        <Field
          ref={field}
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
            entry.remove();
          }}
        >
          {t("buy.removePromo")}
        </Button>
      </div>
    );
  }
  if (!isOpen && coupon.at === "none") {
    return (
      <Button look="quiet" className="promo__open" onClick={entry.open}>
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
        const typed = entry.read();
        if (typed === "") entry.find("empty");
        else dispatch(checkoutActions.couponEntered({ type, id, code: typed }));
      }}
    >
      <Field
        ref={field}
        label={t("buy.promo")}
        defaultValue={code}
        maxLength={50}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        onChange={(event) => {
          entry.type(event.currentTarget.value);
          // Another code replaces the one being checked.
          if (coupon.at === "checking") dispatch(checkoutActions.couponRemoved());
        }}
        error={
          fault !== null
            ? t(fault.kind === "empty" ? "buy.promoEmpty" : "buy.promoUnapplied")
            : coupon.at === "refused"
              ? sentence(t, coupon.message)
              : undefined
        }
      />
      <Button type="submit" busy={coupon.at === "checking"}>
        {t("buy.applyPromo")}
      </Button>
    </form>
  );
}
