import { useState } from "react";
import { Navigate } from "react-router";
import { Button, ButtonLink } from "../../components/basic/Button";
import { Empty } from "../../components/basic/Empty";
import { Icon } from "../../components/basic/Icon";
import { Notice } from "../../components/basic/Notice";
import { titleText } from "../../components/event/FixtureName";
import { Loader } from "../../components/shell/Loader";
import { PriceSum } from "../../components/shop/PriceSum";
import { sentence } from "../../i18n/sentence";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import type { RootState } from "../../slices";
import { selectSettings } from "../../slices/catalogue";
import { selectCoupon } from "../../slices/checkout";
import { selectOnline } from "../../slices/network";
import { popupOf, purchaseActions, selectPurchase, selectPurchaseBusy } from "../../slices/purchase";
import { FailedRead } from "../FailedRead";
import { useDocumentTitle } from "../shell/useDocumentTitle";
import { useAppDispatch, useAppSelector } from "../state";
import { CardChoice, useCardName } from "./CardChoice";
import { EarlierPurchase, usePageOpened, useResultSeen, useToldBefore, useWasPaid } from "./EarlierPurchase";
import { NotSold, useNotSold } from "./NotSold";
import { Paying } from "./Paying";
import { PriceChanged } from "./PriceChanged";
import { ProductSummary } from "./ProductSummary";
import { isUnapplied, Promo, usePromoEntry } from "./Promo";
import {
  type Asked,
  choiceOf,
  isAsked,
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
  const { asked, product, at, missing, retry } = useProduct();
  useDocumentTitle(t(`buy.title.${asked.kind}`));
  usePageOpened(asked);
  useResultSeen(asked);
  const wasPaid = useWasPaid(asked);
  const toldBefore = useToldBefore();
  useDismissPopup(useAppSelector(selectShowsPopup(asked)), `${asked.kind}/${asked.id}/${asked.participantId}`);
  const notSold = useNotSold(asked);
  const last = useAppSelector(selectLast);
  const trialInstead = useTrialInstead(asked);
  if (product && notSold !== null) return <NotSold asked={asked} product={product} reason={notSold} onCheck={retry} />;
  if (product && wasPaid)
    return (
      <>
        <NotSold asked={asked} product={product} reason="bought" onCheck={retry} />
        {!toldBefore && <Paying asked={asked} back={product.back} card={null} sells={null} />}
      </>
    );
  if (product && trialInstead && asked.id !== null)
    return <Navigate to={linkTo("buy", {}, { type: "trial", subscription_id: asked.id })} replace />;
  if (product) return <Checkout asked={asked} product={product} />;
  // After the bank's page, returns to the purchase in progress.
  if (asked.id === null && last !== null) return <Navigate to={linkToPurchase(last)} replace />;
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
      {!toldBefore && <Paying asked={asked} back={linkTo("home")} card={null} sells={null} />}
    </div>
  );
}

/** Whether this page's dialog shows the failure of its purchase. */
const selectShowsPopup = (asked: Asked) => (state: RootState) => {
  const purchase = selectPurchase(state);
  return popupOf(purchase) !== null && "request" in purchase && isAsked(asked, purchase.request);
};

/** The current or last purchase; null if there is none. */
const selectLast = (state: RootState) => {
  const purchase = selectPurchase(state);
  return "request" in purchase ? (purchase.request ?? null) : null;
};

function Checkout({ asked, product }: { readonly asked: Asked; readonly product: Product }) {
  const { t } = useTexts();
  const dispatch = useAppDispatch();
  const settings = useAppSelector(selectSettings);
  const online = useAppSelector(selectOnline);
  const purchase = useAppSelector(selectPurchase);
  const coupon = useAppSelector(selectCoupon);
  const isOwn = "request" in purchase && isAsked(asked, purchase.request);
  const earlier = "key" in purchase && !isOwn ? purchase : null;
  const busy = useAppSelector(selectPurchaseBusy) && isOwn;
  const refusal = purchase.at === "failed" && isOwn ? (purchase.popup ? "told" : "read") : null;
  const keeping = product.period === null ? "asked" : "always";
  const cards = useCardChoice(refusal, keeping);
  const cardName = useCardName(cards.cards?.find(({ id }) => id === cards.chosen));
  const sum = useSum(asked, product);
  const promo = usePromoEntry();
  const [teamMissing, setTeamMissing] = useState(false);
  const isChecking = coupon.at === "checking";

  const submit = (paidWith: PaidWith) => {
    const promo_code = sum.code === null ? {} : { promo_code: sum.code };
    const choice = { ...choiceOf(asked), ...paidWith, ...promo_code, shown: sum.shown };
    dispatch(purchaseActions.submitPressed({ choice }));
  };
  const pay = () => {
    if (product.teams.length > 0 && asked.participantId === null) setTeamMissing(true);
    // Since there are no refunds, a typed code must be applied or removed first.
    else if (isUnapplied(coupon, promo)) promo.find("unapplied");
    else cards.pay(submit);
  };
  const isRefused = purchase.at === "rejected" && popupOf(purchase) === null;
  const message = isRefused || (refusal === "read" && "message" in purchase) ? purchase.message : null;

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
            <TeamChoice
              teams={product.teams}
              chosen={asked.participantId}
              isMissing={teamMissing}
              onChoose={() => setTeamMissing(false)}
            />
          )}
          <CardChoice choice={cards} />
          <p className="type-meta muted buy__secure">
            <Icon name="lock" size="small" />
            <span>
              {t("buy.secure", { provider: settings?.sandbox_payments ? t("buy.sandbox") : t("buy.stripe") })}
              {keeping === "always" && ` ${t("buy.keptForRenewals")}`}
            </span>
          </p>
        </div>
        <aside className="panel stack stack--loose">
          <ProductSummary product={product} />
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
