import { ButtonLink } from "../../components/basic/Button";
import { Empty } from "../../components/basic/Empty";
import { titleText } from "../../components/event/FixtureName";
import type { Order } from "../../contracts/resources";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import type { RootState } from "../../slices";
import { selectLoggedIn } from "../../slices/auth";
import { selectPackage } from "../../slices/catalogue";
import { selectEvent } from "../../slices/events";
import {
  packagePurchased,
  selectEventPurchased,
  selectOrdersById,
  selectSubscriptionPurchased,
} from "../../slices/orders";
import { selectPayment } from "../../slices/payment";
import { selectGeoBlocked } from "../../slices/user";
import { RegionActions } from "../RegionActions";
import { useAppSelector } from "../state";
import { useCountry } from "../useCountry";
import { useRead } from "../useRead";
import { type BuyTarget, isTargetOf, orderTypeOf, type Product } from "./product";

/** Why there is nothing to pay: already bought, blocked in the region, included in another purchase, or free. */
type Reason = "bought" | "blocked" | "opened" | "free";

const selectReason =
  ({ kind, id, participantId }: BuyTarget) =>
  (state: RootState): Reason | null => {
    if (id === null) return null;
    if (kind === "event") {
      if (selectEventPurchased(id)(state)) return "bought";
      const event = selectEvent(id)(state);
      if (event?.is_geo_blocked || selectGeoBlocked(state)) return "blocked";
      if (event?.access_type === "free" || event?.access_type === "register") return "free";
      return event?.has_access ? "opened" : null;
    }
    const region = selectGeoBlocked(state) ? "blocked" : null;
    if (kind !== "package") return selectSubscriptionPurchased(id)(state) ? "bought" : region;
    const item = selectPackage(id)(state);
    if (item === null) return region;
    const isOwned = item.is_team_pass && participantId !== null && item.disabled_participants.includes(participantId);
    return isOwned || packagePurchased(item) ? "bought" : region;
  };

/** The newest paid order of the page's product. */
const selectBought =
  (target: BuyTarget) =>
  (state: RootState): Order | undefined =>
    Object.values(selectOrdersById(state))
      .filter(({ status, type, product, total }) => {
        const isIt = type === orderTypeOf(target.kind) && product.id === target.id && total > 0;
        return status === "paid" && isIt && (product.participant_id ?? null) === target.participantId;
      })
      .at(-1);

/** Whether the page displays its own purchase, from the button press to the result. */
const selectShowsPurchase =
  (target: BuyTarget) =>
  (state: RootState): boolean => {
    const purchase = selectPayment(state);
    if (purchase.at === "rejected" || !("request" in purchase) || !isTargetOf(target, purchase.request)) return false;
    return purchase.at !== "failed" || purchase.popup;
  };

/** Why the product isn't sold to this viewer; null if it is. */
export function useNotSold(target: BuyTarget): Reason | null {
  const loggedIn = useAppSelector(selectLoggedIn);
  useRead(loggedIn ? { method: "api.listOrders", args: {} } : null);
  const reason = useAppSelector(selectReason(target));
  return useAppSelector(selectShowsPurchase(target)) ? null : reason;
}

interface NotSoldProps {
  readonly target: BuyTarget;
  readonly product: Product;
  readonly reason: Reason;
  /** Checks again whether it is sold. */
  readonly onCheck: () => void;
}

/** Replaces the form: the reason, and a link to continue. */
export function NotSold({ target, product, reason, onCheck }: NotSoldProps) {
  const { t } = useTexts();
  const formats = useFormats();
  const country = useCountry();
  const order = useAppSelector(selectBought(target));
  const isEvent = target.kind === "event";
  if (reason === "blocked") {
    const text = country === null ? t("buy.blockedText") : t("buy.blockedIn", { country });
    return (
      <div className="wrap">
        <div className="section">
          <Empty title={t("event.blocked")} text={`${titleText(product.name)}. ${text}`}>
            <RegionActions onCheck={onCheck} />
          </Empty>
        </div>
      </div>
    );
  }
  const title = {
    bought: t(order?.subscription?.past_due ? "buy.bought.pastDue" : `buy.bought.${orderTypeOf(target.kind)}`),
    opened: t("buy.opened"),
    free: t("buy.free"),
  };
  const paid =
    order === undefined
      ? null
      : t("buy.boughtOn", {
          price: formats.money(order.total, order.currency),
          date: formats.date(Date.parse(order.created_at)),
        });
  return (
    <div className="wrap">
      <div className="section">
        <Empty title={title[reason]} text={[titleText(product.name), paid].filter(Boolean).join(". ")}>
          <ButtonLink look="primary" icon={isEvent ? "play" : "check"} to={product.to}>
            {isEvent ? t("paying.watch") : t("paying.toOrders")}
          </ButtonLink>
          {order !== undefined && (
            <ButtonLink look="quiet" to={linkTo("transactions")}>
              {t("buy.toReceipt")}
            </ButtonLink>
          )}
        </Empty>
      </div>
    </div>
  );
}
