import { Link } from "react-router";
import { Icon } from "../../components/basic/Icon";
import { titleText } from "../../components/event/FixtureName";
import { Poster } from "../../components/picture/Poster";
import { SectionHeading } from "../../components/text/SectionHeading";
import type { Order } from "../../contracts/resources";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { selectEvent } from "../../slices/events";
import { owns, selectOrdersById } from "../../slices/orders";
import { useEventView } from "../eventViews";
import { purchaseKind, purchasePath, purchasePicture } from "../profile/ownedView";
import { useAppSelector } from "../state";
import { useRead } from "../useRead";

/** Two rows of three on wide screens; the profile shows all. */
const PAGE_SIZE = 6;
const ID = "passes";

/** A purchase: kind, name, date and link. */
function Pass({ order }: { readonly order: Order }) {
  const { t } = useTexts();
  const formats = useFormats();
  const view = useEventView();
  const isEvent = order.type === "event";
  useRead(isEvent ? { method: "api.getEvent", args: { id: order.product.id } } : null);
  const event = useAppSelector(selectEvent(isEvent ? order.product.id : 0));
  const eventView = event && view(event);
  const { subscription } = order;
  const about = (() => {
    if (eventView) return `${formats.longDay(eventView.startsAt)}, ${formats.time(eventView.startsAt)}`;
    if (!subscription) return t("orders.bought", { date: formats.date(Date.parse(order.created_at)) });
    const date = formats.date(Date.parse(subscription.access_until ?? subscription.current_period_end));
    if (subscription.past_due) return t("orders.pastDue");
    if (subscription.auto_renew !== "active") return t("orders.ends", { date });
    const price = formats.money(subscription.renewal_price ?? order.total, order.currency);
    return t("orders.renews", { date, price });
  })();
  return (
    <li className="pass-row" data-card="">
      <Poster picture={eventView?.picture ?? purchasePicture(order)} />
      <div className="pass-row__what">
        <p className="type-meta muted">{t(`orders.type.${purchaseKind(order)}`)}</p>
        <h3 className="pass-row__name">
          <Link className="event-card__link" data-stop="" to={purchasePath(order)}>
            <bdi>{eventView ? titleText(eventView.title) : order.product.name}</bdi>
          </Link>
        </h3>
        <p className="type-meta muted">{about}</p>
      </div>
      <Icon name="chevronRight" size="small" />
    </li>
  );
}

/** The viewer's active purchases, newest first (HOME-1). */
export function MyPasses() {
  const { t } = useTexts();
  const formats = useFormats();
  useRead({ method: "api.listOrders", args: {} });
  const orders = Object.values(useAppSelector(selectOrdersById))
    .filter(owns)
    .toSorted((a, b) => b.id - a.id);
  if (orders.length === 0) return null;
  return (
    <section className="section" aria-labelledby={ID}>
      <SectionHeading
        id={ID}
        title={t("list.myPasses")}
        count={formats.count(orders.length)}
        more={{ to: linkTo("activeOrders"), label: t("profile.activeOrders") }}
      />
      <ul className="pass-rows">
        {orders.slice(0, PAGE_SIZE).map((order) => (
          <Pass key={order.id} order={order} />
        ))}
      </ul>
    </section>
  );
}
