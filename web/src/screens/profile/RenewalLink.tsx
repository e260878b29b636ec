import { useSearchParams } from "react-router";
import { ButtonLink } from "../../components/basic/Button";
import { Notice } from "../../components/basic/Notice";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { selectOrder, selectSubscriptionPurchased } from "../../slices/orders";
import { useAppSelector } from "../state";

/**
 * The result of the renewal in a mailed link; nothing while it is pending, since its subscription shows that (SUB-9).
 */
export function RenewalLink() {
  const { t } = useTexts();
  const [params] = useSearchParams();
  const order = useAppSelector(selectOrder(Number(params.get("renewal"))));
  const subscriptionId = order?.product.id ?? 0;
  const isOwned = useAppSelector(selectSubscriptionPurchased(subscriptionId));
  if (!order?.subscription || order.subscription.past_due) return null;
  const { name } = order.product;
  if (order.subscription.status === "active")
    return (
      <Notice tone="success">
        <p>{t("orders.renewalPaid", { name })}</p>
      </Notice>
    );
  if (order.subscription.status !== "expired") return null;
  return (
    <Notice tone="warning">
      <p>{t("orders.renewalOver", { name })}</p>
      {!isOwned && (
        <ButtonLink to={linkTo("buy", {}, { type: "subscription", subscription_id: subscriptionId })}>
          {t("orders.subscribeAgain")}
        </ButtonLink>
      )}
    </Notice>
  );
}
