import { zodResolver } from "@hookform/resolvers/zod";
import { Suspense, useCallback, useContext, useEffect, useMemo, useState } from "react";
import { useForm } from "react-hook-form";
import { useSearchParams } from "react-router";
import { Button, ButtonLink } from "../../components/basic/Button";
import { Empty } from "../../components/basic/Empty";
import { Icon } from "../../components/basic/Icon";
import { Notice } from "../../components/basic/Notice";
import { NowContext } from "../../components/basic/now";
import { Touchline } from "../../components/basic/Touchline";
import { FixtureName, titleText } from "../../components/event/FixtureName";
import { FieldError } from "../../components/form/Field";
import { RadioCard } from "../../components/form/RadioCard";
import { Poster } from "../../components/picture/Poster";
import { Loader } from "../../components/shell/Loader";
import { PriceSum } from "../../components/shop/PriceSum";
import { sentence } from "../../i18n/sentence";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import type { ShownPrice } from "../../machines/purchase";
import { linkTo } from "../../navigation";
import type { RootState } from "../../slices";
import { selectSettings } from "../../slices/catalogue";
import { selectCards, selectCoupon } from "../../slices/checkout";
import { selectOnline } from "../../slices/network";
import { popupOf, purchaseActions, selectPurchase, selectPurchaseBusy } from "../../slices/purchase";
import { FailedRead } from "../FailedRead";
import { part } from "../lazyWithRetry";
import { useDocumentTitle } from "../shell/useDocumentTitle";
import { useAppDispatch, useAppSelector } from "../state";
import { useAccount } from "../useAccount";
import { useRead } from "../useRead";
import { CardForm, type CardValues } from "./CardForm";
import { cardSchema, heldCard } from "./cardSchema";
import { EarlierPurchase, usePageOpened } from "./EarlierPurchase";
import { NotSold, useNotSold } from "./NotSold";
import { Paying } from "./Paying";
import { PriceChanged } from "./PriceChanged";
import { isUnapplied, Promo, usePromoEntry } from "./Promo";
import { type Asked, choiceOf, isAsked, orderTypeOf, type Product, useProduct } from "./product";
import type { Tokenize } from "./StripeCard";
import { useDismissPopup } from "./useDismissPopup";
import "./Buy.css";

/** Fetched by channels whose payments are Stripe's. */
const StripeCard = part(() => import("./StripeCard"));

const NEW = "new";
/** A card's brand as the provider names it: what stands on its mark, and in a sentence. */
const BRANDS: { readonly [brand: string]: { readonly mark: string; readonly name: string } } = {
  visa: { mark: "VISA", name: "Visa" },
  mastercard: { mark: "MC", name: "Mastercard" },
  amex: { mark: "AMEX", name: "American Express" },
  discover: { mark: "DISC", name: "Discover" },
};

const brandOf = (brand: string) =>
  BRANDS[brand.toLowerCase()] ?? { mark: brand.slice(0, 4).toUpperCase(), name: brand };

/** The page where something is paid for: with what, for how much, and then the press (PAY). */
export function Component() {
  const { t } = useTexts();
  const { asked, product, at, missing, retry } = useProduct();
  useDocumentTitle(t(`buy.title.${asked.kind}`));
  usePageOpened(asked);
  useDismissPopup(useAppSelector(selectShowsPopup(asked)), `${asked.kind}/${asked.id}/${asked.participantId}`);
  const notSold = useNotSold(asked);
  if (product && notSold !== null) return <NotSold asked={asked} product={product} reason={notSold} onCheck={retry} />;
  if (product) return <Checkout asked={asked} product={product} />;
  return (
    <div className="wrap">
      {at === "failed" && !missing ? (
        <FailedRead onRetry={retry} />
      ) : asked.id !== null && at !== "loaded" && !missing ? (
        <Loader label={t("common.loading")} />
      ) : (
        <div className="section">
          <Empty title={t("buy.nothing")} text={t("buy.nothingText")}>
            <ButtonLink to={linkTo("packages")}>{t("list.seePackages")}</ButtonLink>
          </Empty>
        </div>
      )}
      <Paying asked={asked} back={linkTo("home")} card={null} sells={null} />
    </div>
  );
}

/** Whether this page's dialog tells how its purchase ended without a payment. */
const selectShowsPopup = (asked: Asked) => (state: RootState) => {
  const purchase = selectPurchase(state);
  return popupOf(purchase) !== null && "request" in purchase && isAsked(asked, purchase.request);
};

/** The sum of the page: its parts and the total, with what a promo code takes off. */
function useSum(asked: Asked, product: Product) {
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
    { key: "base", label: what[asked.kind], amount: money(base) },
    ...(coupon ? [{ key: "coupon", label: coupon.code, amount: `−${money(coupon.discount)}` }] : []),
    { key: "fee", label: t("buy.fee"), amount: money(fee) },
  ];
  const trial = product.trialDays > 0;
  const period = product.period === "year" ? t("packages.annual") : t("packages.monthly");
  // A code is taken off the first period alone (PAY-6).
  const renewal = base + fee;
  const renews = product.period === null ? {} : { renewal_price: renewal };
  const shown: ShownPrice = trial
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
    shown,
  };
}

/** Once a viewer was told that a card was refused, the fields of another are asked for: empty, and with the focus. */
function useOtherCard(refusal: "told" | "read" | null, onRead: () => void) {
  const [other, setOther] = useState({ refusal, count: 0, isNext: false });
  if (other.refusal !== refusal) {
    const isRead = other.refusal === "told" && refusal === "read";
    setOther({ refusal, count: other.count + (isRead ? 1 : 0), isNext: isRead });
    if (isRead) onRead();
  }
  return { ...other, leave: () => setOther({ ...other, isNext: false }) };
}

function Checkout({ asked, product }: { readonly asked: Asked; readonly product: Product }) {
  const { t } = useTexts();
  const formats = useFormats();
  const dispatch = useAppDispatch();
  const account = useAccount();
  const now = useContext(NowContext);
  const [, setParams] = useSearchParams();
  const settings = useAppSelector(selectSettings);
  const online = useAppSelector(selectOnline);
  const purchase = useAppSelector(selectPurchase);
  const isOwn = "request" in purchase && isAsked(asked, purchase.request);
  const earlier = "key" in purchase && !isOwn ? purchase : null;
  const busy = useAppSelector(selectPurchaseBusy) && isOwn;
  const cards = useAppSelector(selectCards);
  const { at: cardsAt } = useRead({ method: "api.listCards", args: {} });
  const [picked, setPicked] = useState<string | null>(null);
  const [teamMissing, setTeamMissing] = useState(false);
  const [cardMissing, setCardMissing] = useState(false);
  const [tokenize, setTokenize] = useState<Tokenize | null>(null);
  const stripeKey = settings?.sandbox_payments ? undefined : settings?.stripe_publishable_key;
  const onReady = useCallback((ready: Tokenize | null) => {
    setTokenize(() => ready);
    if (ready) setCardMissing(false);
  }, []);
  // The card that was just refused is kept with the others, and is not what anybody would try again first.
  const refused = purchase.at === "failed" && isOwn;
  const other = useOtherCard(refused ? (purchase.popup ? "told" : "read") : null, () => setPicked(NEW));
  const pick = (id: string) => {
    setPicked(id);
    other.leave();
  };
  const chosen =
    picked ??
    (refused ? NEW : cards?.find(({ declined }) => !declined)?.id) ??
    (cardsAt === "loaded" || cardsAt === "failed" ? NEW : null);
  const schema = useMemo(() => cardSchema(now), [now]);
  const form = useForm<CardValues>({ resolver: zodResolver(schema), defaultValues: { number: "", exp: "", cvc: "" } });
  const { reset } = form;
  useEffect(() => {
    if (other.count > 0) reset();
  }, [other.count, reset]);
  const sum = useSum(asked, product);
  const coupon = useAppSelector(selectCoupon);
  const promo = usePromoEntry();
  const isChecking = coupon.at === "checking";
  const lastDigits = (id: string) => account.lastDigits(id) ?? "••••";
  const card = cards?.find(({ id }) => id === chosen);
  const cardName = card
    ? t("orders.cardEnding", { brand: brandOf(card.brand).name, last4: lastDigits(card.id) })
    : null;

  const submit = (paidWith: { payment_method_id: string } | { card_handle: string }) =>
    dispatch(
      purchaseActions.submitPressed({
        choice: {
          ...choiceOf(asked),
          ...paidWith,
          ...(sum.code === null ? {} : { promo_code: sum.code }),
          shown: sum.shown,
        },
      }),
    );
  const pay = () => {
    if (product.teams.length > 0 && asked.participantId === null) {
      setTeamMissing(true);
      return;
    }
    // There are no refunds: a code that is typed is not left out.
    if (isUnapplied(coupon, promo)) {
      promo.find("unapplied");
      return;
    }
    if (chosen !== null && chosen !== NEW) submit({ payment_method_id: chosen });
    else if (stripeKey !== undefined) {
      setCardMissing(tokenize === null);
      if (tokenize !== null) submit({ card_handle: account.hold({ tokenize }) });
    } else void form.handleSubmit((values) => submit({ card_handle: account.hold(heldCard(values)) }))();
  };
  const chooseTeam = (id: string) => {
    setTeamMissing(false);
    setParams(
      (params) => {
        const next = new URLSearchParams(params);
        if (id === "") next.delete("participant_id");
        else next.set("participant_id", id);
        return next;
      },
      { replace: true, preventScrollReset: true },
    );
  };
  const message =
    purchase.at === "rejected" && popupOf(purchase) === null
      ? purchase.message
      : purchase.at === "failed" && !purchase.popup && isOwn
        ? purchase.message
        : null;

  return (
    <div className="wrap">
      <div className="buy">
        <div className="stack stack--loose">
          <div>
            <ButtonLink look="quiet" icon="chevronLeft" className="buy__back" to={product.back}>
              {asked.kind === "event" ? t("buy.back.event") : t("buy.back.packages")}
            </ButtonLink>
            <h1 className="type-page">{t(`buy.title.${asked.kind}`)}</h1>
          </div>
          {message !== null && (
            <Notice tone="danger" alert>
              {sentence(t, message)}
            </Notice>
          )}
          {!online && <Notice icon="offline">{t("server.offline")}</Notice>}
          {earlier !== null && <EarlierPurchase of={earlier} />}
          {product.teams.length > 0 && (
            <div className="field">
              <label className="field__label" htmlFor="buy-team">
                {t("buy.team")}
              </label>
              <select
                id="buy-team"
                className="field__box buy__team"
                value={asked.participantId ?? ""}
                aria-invalid={teamMissing}
                onChange={(event) => chooseTeam(event.currentTarget.value)}
              >
                <option value="">{t("buy.teamPrompt")}</option>
                {product.teams.map((team) => (
                  <option key={team.id} value={team.id}>
                    {team.name}
                  </option>
                ))}
              </select>
              {teamMissing && <FieldError>{t("server.teamNotSelected")}</FieldError>}
            </div>
          )}
          <fieldset className="choices">
            <legend className="type-label">{t("buy.payWith")}</legend>
            {cards?.map((one) => (
              <RadioCard
                key={one.id}
                name="card"
                value={one.id}
                checked={chosen === one.id}
                onChange={() => pick(one.id)}
                mark={brandOf(one.brand).mark}
                title={<span className="figures">{t("buy.ending", { last4: lastDigits(one.id) })}</span>}
                text={
                  <span className="figures">
                    {one.declined && `${t("buy.declinedCard")} `}
                    {t("buy.expires", { date: formats.cardExpiry(one.exp_month, one.exp_year) })}
                  </span>
                }
              />
            ))}
            <RadioCard
              name="card"
              value={NEW}
              checked={chosen === NEW}
              onChange={() => pick(NEW)}
              mark={<Icon name="card" />}
              title={t("buy.newCard")}
            >
              {stripeKey === undefined ? (
                <CardForm key={other.count} form={form} focus={other.isNext} />
              ) : (
                <Suspense fallback={<Loader label={t("common.loading")} />}>
                  <StripeCard key={other.count} publishableKey={stripeKey} onReady={onReady} focus={other.isNext} />
                </Suspense>
              )}
              {cardMissing && <FieldError>{t("validation.card")}</FieldError>}
            </RadioCard>
          </fieldset>
          <p className="type-meta muted buy__secure">
            <Icon name="lock" size="small" />
            <span>
              {t("buy.secure", { provider: settings?.sandbox_payments ? t("buy.sandbox") : t("buy.stripe") })}
            </span>
          </p>
        </div>
        <aside className="panel stack stack--loose">
          <div className="buy__product">
            <div>
              <Poster picture={product.picture} />
              <Touchline
                state={
                  product.line === "live"
                    ? { kind: "live" }
                    : product.line === "upcoming"
                      ? { kind: "upcoming" }
                      : { kind: "watched", at: 0 }
                }
              />
            </div>
            <div>
              <p className="buy__name">
                <FixtureName title={product.name} />
              </p>
              <p className="type-meta muted">{product.about}</p>
            </div>
          </div>
          {asked.id !== null && asked.kind !== "trial" && (
            <Promo type={orderTypeOf(asked.kind)} id={asked.id} entry={promo} />
          )}
          <PriceSum lines={sum.lines} total={sum.total} />
          {sum.afterwards !== null && <p className="type-meta muted figures">{sum.afterwards}</p>}
          <div className="stack stack--tight">
            <Button
              look="primary"
              size="big"
              block
              busy={busy}
              disabled={!online || chosen === null || earlier !== null || isChecking}
              onClick={pay}
            >
              {isChecking ? t("buy.checkingPromo") : sum.button}
            </Button>
            <p className="type-meta muted buy__final">{t("buy.final")}</p>
          </div>
        </aside>
      </div>
      <PriceChanged asked={asked} product={product} />
      <Paying
        asked={asked}
        back={product.back}
        card={cardName}
        sells={{ name: titleText(product.name), price: sum.total.amount }}
      />
    </div>
  );
}
