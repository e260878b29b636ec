import { Chip } from "../../components/basic/Badge";
import { ButtonLink } from "../../components/basic/Button";
import { Empty } from "../../components/basic/Empty";
import type { IconName } from "../../components/basic/icons";
import { RowSkeletons } from "../../components/basic/Skeleton";
import type { Order } from "../../contracts/resources";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { type OrderLabel, orderLabel, selectOrdersById } from "../../slices/orders";
import { FailedRead } from "../FailedRead";
import { useAppSelector } from "../state";
import { useRead } from "../useRead";
import { ProfilePage } from "./ProfilePage";

interface Look {
  readonly tone: "success" | "info" | "plain" | "danger";
  readonly icon: IconName;
  readonly word: "active" | "paid" | "refunded" | "inactive" | "failed";
}

const LOOK: { readonly [L in OrderLabel]: Look } = {
  Active: { tone: "success", icon: "check", word: "active" },
  Paid: { tone: "success", icon: "check", word: "paid" },
  Refunded: { tone: "info", icon: "refresh", word: "refunded" },
  Inactive: { tone: "plain", icon: "clock", word: "inactive" },
};

function State({ order }: { readonly order: Order }) {
  const { t } = useTexts();
  const look: Look =
    order.status === "failed" ? { tone: "danger", icon: "alert", word: "failed" } : LOOK[orderLabel(order)];
  return (
    <Chip tone={look.tone} icon={look.icon}>
      {t(`state.${look.word}`)}
    </Chip>
  );
}

/** Every payment, newest first. */
export function Component() {
  const { t } = useTexts();
  const formats = useFormats();
  const { at, retry } = useRead({ method: "api.listOrders", args: {} });
  const orders = Object.values(useAppSelector(selectOrdersById)).sort((a, b) => b.id - a.id);
  const kind = (order: Order) => {
    if (order.product.participant_id !== undefined) return t("orders.type.team_pass");
    if (order.type !== "subscription") return t(`orders.type.${order.type}`);
    // The first order of a subscription makes it; those after it renew it (SUB-2).
    const first = orders.filter(({ type, product }) => type === order.type && product.id === order.product.id).at(-1);
    return first?.id === order.id ? t("orders.created") : t("orders.updated");
  };
  return (
    <ProfilePage title={t("profile.transactions")}>
      {orders.length > 0 ? (
        <>
          <table className="transactions">
            <thead>
              <tr>
                {(["date", "what", "kind", "state"] as const).map((column) => (
                  <th key={column} scope="col" className="type-label">
                    {t(`orders.columns.${column}`)}
                  </th>
                ))}
                <th scope="col" className="type-label transactions__total">
                  {t("orders.columns.total")}
                </th>
              </tr>
            </thead>
            <tbody>
              {orders.map((order) => (
                <tr key={order.id}>
                  <td className="transactions__date figures">{formats.shortDate(Date.parse(order.created_at))}</td>
                  <td className="transactions__what">
                    <b>{order.product.name}</b>
                  </td>
                  <td className="transactions__kind">{kind(order)}</td>
                  <td className="transactions__state">
                    <State order={order} />
                  </td>
                  <td className="transactions__total figures">{formats.money(order.total, order.currency)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <p className="type-meta muted">{t("orders.totals")}</p>
        </>
      ) : at === "failed" ? (
        <FailedRead onRetry={retry} />
      ) : at !== "loaded" ? (
        <RowSkeletons count={5} />
      ) : (
        <Empty title={t("orders.noTransactions")} text={t("orders.noTransactionsText")}>
          <ButtonLink to={linkTo("packages")}>{t("list.seePackages")}</ButtonLink>
        </Empty>
      )}
    </ProfilePage>
  );
}
