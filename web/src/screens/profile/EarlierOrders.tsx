import { Chip } from "../../components/basic/Badge";
import type { Order } from "../../contracts/resources";
import { sentence } from "../../i18n/sentence";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { type OrderLabel, orderLabel } from "../../slices/orders";
import { useTitled } from "./useTitled";

const LOOKS = {
  Active: { tone: "success", icon: "check", word: "state.active" },
  Paid: { tone: "plain", icon: "check", word: "state.paid" },
  Refunded: { tone: "info", icon: "refresh", word: "state.refunded" },
  Inactive: { tone: "plain", icon: "close", word: "state.inactive" },
} as const satisfies { readonly [L in OrderLabel]: object };

/** Orders without access (ORDER-3): expired, refunded or unpaid. */
export function EarlierOrders({ orders: all }: { readonly orders: readonly Order[] }) {
  const { t } = useTexts();
  const formats = useFormats();
  const orders = useTitled(all) ?? [];
  if (orders.length === 0) return null;
  return (
    <section className="stack">
      <h2 className="type-section">{t("orders.earlier")}</h2>
      <ul className="earlier-orders">
        {orders.map((order) => {
          const { tone, icon, word } = LOOKS[orderLabel(order)];
          return (
            <li key={order.id}>
              <span>
                <b>
                  <bdi>{order.product.name}</bdi>
                </b>{" "}
                <span className="type-meta muted figures">{formats.date(Date.parse(order.created_at))}</span>
                {order.status === "failed" && (
                  <small className="earlier-orders__why">
                    {order.failure && `${sentence(t, order.failure)} `}
                    {t("orders.notCharged")}
                  </small>
                )}
              </span>
              <Chip tone={tone} icon={icon}>
                {t(word)}
              </Chip>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
