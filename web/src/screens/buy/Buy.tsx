import { useEffect, useRef, useState } from "react";
import { Navigate } from "react-router";
import { Button, ButtonLink } from "../../components/basic/Button";
import { Empty } from "../../components/basic/Empty";
import { Icon } from "../../components/basic/Icon";
import { Notice } from "../../components/basic/Notice";
import { titleText } from "../../components/event/FixtureName";
import { FormAlert } from "../../components/form/FormAlert";
import { Loader } from "../../components/shell/Loader";
import { PriceSum } from "../../components/shop/PriceSum";
import { sentence } from "../../i18n/sentence";
import { useTexts } from "../../i18n/useTexts";
import { isInProgress } from "../../machines/purchase";
import { linkTo } from "../../navigation";
import type { RootState } from "../../slices";
import { selectSettings } from "../../slices/catalogue";
import { selectCoupon } from "../../slices/checkout";
import { selectOnline } from "../../slices/network";
import { selectPayment, selectPaymentBusy } from "../../slices/payment";
import { popupOf, purchaseActions, selectPurchase } from "../../slices/purchase";
import { FailedRead } from "../FailedRead";
import { useDocumentTitle } from "../shell/useDocumentTitle";
import { useAppDispatch, useAppSelector } from "../state";
import { CardChoice, useCardName } from "./CardChoice";
import { EarlierPurchase, useDisplayedBefore, usePageOpened, useResultSeen, useWasPaid } from "./EarlierPurchase";
import { NotSold, useNotSold } from "./NotSold";
import { Paying } from "./Paying";
import { PriceChanged } from "./PriceChanged";
import { ProductSummary } from "./ProductSummary";
import { isUnapplied, Promo, usePromoEntry } from "./Promo";
import {
  type BuyTarget,
  choiceOf,
  isTargetOf,
  linkToPurchase,
  orderTypeOf,
  type Product,
  useProduct,
  useTrialInstead,
} from "./product";
import { TeamChoice } from "./TeamChoice";
import { type PaidWith, useCardChoice } from "./useCardChoice";
import { useDismissPopup } from "./useDismissPopup";
import { useSum } from "./useSum";
import "./Buy.css";

/** The checkout page: card, price and the button to pay (PAY). */
export function Component() {
  const { t } = useTexts();
  const { target, product, at, missing, retry } = useProduct();
  useDocumentTitle(t(`buy.title.${target.kind}`));
  usePageOpened(target);
  useResultSeen(target);
  const wasPaid = useWasPaid(target);
  const displayedBefore = useDisplayedBefore();
  useDismissPopup(useAppSelector(selectShowsPopup(target)), `${target.kind}/${target.id}/${target.participantId}`);
  const notSold = useNotSold(target);
  const last = useAppSelector(selectLast);
  const trialInstead = useTrialInstead(target);
  if (product && notSold !== null)
    return <NotSold target={target} product={product} reason={notSold} onCheck={retry} />;
  if (product && wasPaid)
    return (
      <>
        <NotSold target={target} product={product} reason="bought" onCheck={retry} />
        {!displayedBefore && <Paying target={target} back={product.back} card={null} sells={null} />}
      </>
    );
  if (product && trialInstead && target.id !== null)
    return <Navigate to={linkTo("buy", {}, { type: "trial", subscription_id: target.id })} replace />;
  // A paid event may be part of packages only.
  const isSold = target.kind !== "event" || target.singleEventPackageId !== null;
  if (product && isSold) return <Checkout target={target} product={product} />;
  // After the bank's page, returns to the purchase in progress.
  if (target.id === null && last !== null) return <Navigate to={linkToPurchase(last)} replace />;
  return (
    <div className="wrap">
      {at === "failed" && !missing ? (
        <FailedRead onRetry={retry} />
      ) : target.id !== null && at !== "loaded" && !missing ? (
        <Loader label={t("common.loading")} />
      ) : (
        <div className="section">
          <Empty title={t("buy.nothing")} text={t("buy.nothingText")}>
            <ButtonLink to={linkTo("packages")}>{t("list.seePackages")}</ButtonLink>
          </Empty>
        </div>
      )}
      {!displayedBefore && <Paying target={target} back={linkTo("home")} card={null} sells={null} />}
    </div>
  );
}

/** Whether this page's dialog shows the failure of its purchase. */
const selectShowsPopup = (target: BuyTarget) => (state: RootState) => {
  const purchase = selectPayment(state);
  return popupOf(purchase) !== null && "request" in purchase && isTargetOf(target, purchase.request);
};

/** The current or last purchase; null if there is none. */
const selectLast = (state: RootState) => {
  const purchase = selectPayment(state);
  return "request" in purchase ? (purchase.request ?? null) : null;
};

/** The heading, focused when the page starts to sell in another way: the link that led there is gone. */
function useHeadingFocus(kind: BuyTarget["kind"]) {
  const heading = useRef<HTMLHeadingElement>(null);
  const focused = useRef(kind);
  useEffect(() => {
    if (focused.current === kind) return;
    focused.current = kind;
    heading.current?.focus({ preventScroll: true });
  }, [kind]);
  return heading;
}

function Checkout({ target, product }: { readonly target: BuyTarget; readonly product: Product }) {
  const { t } = useTexts();
  const dispatch = useAppDispatch();
  const settings = useAppSelector(selectSettings);
  const online = useAppSelector(selectOnline);
  const purchase = useAppSelector(selectPayment);
  const coupon = useAppSelector(selectCoupon);
  const current = useAppSelector(selectPurchase);
  const isThisProduct = "request" in purchase && isTargetOf(target, purchase.request);
  const earlier = isInProgress(current) && !isTargetOf(target, current.request) ? current : null;
  const busy = useAppSelector(selectPaymentBusy) && isThisProduct;
  const refusal = purchase.at === "failed" && isThisProduct ? (purchase.popup ? "displayed" : "dismissed") : null;
  const saveMode = product.period === null ? "optional" : "always";
  const cards = useCardChoice(refusal, saveMode);
  const cardName = useCardName(cards.cards?.find(({ id }) => id === cards.chosen));
  const sum = useSum(target, product);
  const promo = usePromoEntry();
  /** Presses of the button without a team. */
  const [teamAttempts, setTeamAttempts] = useState(0);
  const isChecking = coupon.at === "checking";

  const submit = (paidWith: PaidWith) => {
    const promo_code = sum.code === null ? {} : { promo_code: sum.code };
    const choice = { ...choiceOf(target), ...paidWith, ...promo_code, shown: sum.shown };
    dispatch(purchaseActions.submitPressed({ choice }));
  };
  const pay = () => {
    if (product.teams.length > 0 && target.participantId === null) setTeamAttempts(teamAttempts + 1);
    // Since there are no refunds, a typed code must be applied or removed first.
    else if (isUnapplied(coupon, promo)) promo.find("unapplied");
    else cards.pay(submit);
  };
  const isRefused = purchase.at === "rejected" && popupOf(purchase) === null;
  const heading = useHeadingFocus(target.kind);

  return (
    <div className="wrap">
      <div className="buy">
        <div className="stack stack--loose">
          <div>
            <ButtonLink look="quiet" icon="chevronLeft" className="buy__back" to={product.back}>
              {target.kind === "event" ? t("buy.back.event") : t("buy.back.packages")}
            </ButtonLink>
            <h1 className="type-page" ref={heading} tabIndex={-1}>
              {t(`buy.title.${target.kind}`)}
            </h1>
          </div>
          {earlier !== null && <EarlierPurchase of={earlier} />}
          {product.teams.length > 0 && (
            <TeamChoice
              teams={product.teams}
              chosen={target.participantId}
              attempts={teamAttempts}
              onChoose={() => setTeamAttempts(0)}
            />
          )}
          {refusal === "dismissed" && "message" in purchase && (
            <Notice tone="danger">{sentence(t, purchase.message)}</Notice>
          )}
          <CardChoice choice={cards} />
          <p className="type-meta muted buy__secure">
            <Icon name="lock" size="small" />
            <span>
              {t("buy.secure", { provider: settings?.sandbox_payments ? t("buy.sandbox") : t("buy.stripe") })}
              {saveMode === "always" && ` ${t("buy.keptForRenewals")}`}
            </span>
          </p>
        </div>
        <aside className="panel stack stack--loose">
          <ProductSummary product={product} />
          {target.id !== null && target.kind !== "trial" && (
            <Promo type={orderTypeOf(target.kind)} id={target.id} entry={promo} />
          )}
          <PriceSum lines={sum.lines} total={sum.total} />
          {sum.afterwards !== null && <p className="type-meta muted figures">{sum.afterwards}</p>}
          {isRefused && <FormAlert refusal={purchase}>{sentence(t, purchase.message)}</FormAlert>}
          {isRefused && target.kind === "trial" && purchase.code === "trial_used" && (
            <ButtonLink
              look="quiet"
              to={linkTo("buy", {}, { type: "subscription", subscription_id: target.id ?? undefined })}
            >
              {t("buy.withoutTrial")}
            </ButtonLink>
          )}
          {!online && <Notice icon="offline">{t("server.offline")}</Notice>}
          <div className="stack stack--tight">
            <Button
              look="primary"
              size="big"
              block
              busy={busy || cards.isChecking}
              disabled={!online || cards.chosen === null || earlier !== null || isChecking}
              onClick={pay}
            >
              {isChecking ? t("buy.checkingPromo") : sum.button}
            </Button>
            <p className="type-meta muted buy__final">{t("buy.final")}</p>
          </div>
        </aside>
      </div>
      <PriceChanged target={target} product={product} />
      <Paying
        target={target}
        back={product.back}
        card={cardName}
        sells={{ name: titleText(product.name), price: sum.total.amount }}
      />
    </div>
  );
}
