import { Chip } from "../../components/basic/Badge";
import { Button, ButtonLink } from "../../components/basic/Button";
import { Empty } from "../../components/basic/Empty";
import { RowSkeletons } from "../../components/basic/Skeleton";
import { type LineState, Touchline } from "../../components/basic/Touchline";
import { initialsOf } from "../../components/picture/Crest";
import { type Picture, Poster } from "../../components/picture/Poster";
import { Phrase } from "../../components/text/Phrase";
import type { Order } from "../../contracts/resources";
import { sentence } from "../../i18n/sentence";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { customerPortalPressed } from "../../slices/account";
import { autoRenewActions, selectAutoRenew } from "../../slices/autoRenew";
import { selectSubscriptions } from "../../slices/catalogue";
import { selectEvent } from "../../slices/events";
import { owns, selectOrdersById } from "../../slices/orders";
import { useEventView } from "../eventViews";
import { FailedRead } from "../FailedRead";
import { useAppDispatch, useAppSelector } from "../state";
import { useRead } from "../useRead";
import { ProfilePage } from "./ProfilePage";

const figure = (name: string): Picture => ({
  kind: "figure",
  floor: "basketball",
  figure: initialsOf(name).slice(0, 1),
  color: "#1f4a8a",
  ink: "#f4b942",
});

/** The button that stops a subscription from renewing, and how that goes (SUB-3). */
function AutoRenew({ order }: { readonly order: Order }) {
  const { t } = useTexts();
  const formats = useFormats();
  const dispatch = useAppDispatch();
  const state = useAppSelector(selectAutoRenew(order.product.id));
  const { subscription } = order;
  if (!subscription) return null;
  const renews = subscription.auto_renew === "active" && state.at !== "finished" && state.at !== "cancelled";
  if (!renews) {
    return (
      <p className="type-meta muted">
        {t("orders.stopped", { date: formats.date(Date.parse(subscription.current_period_end)) })}
      </p>
    );
  }
  return (
    <div className="stack stack--tight">
      <Button
        busy={state.at === "cancelling"}
        onClick={() => dispatch(autoRenewActions.cancelPressed({ key: String(order.product.id) }))}
      >
        {t("orders.stop")}
      </Button>
      {state.at === "failed" && (
        <p className="field__error" role="alert">
          {sentence(t, state.message) || t("orders.stopFailed")}
        </p>
      )}
    </div>
  );
}

function Owned({ order }: { readonly order: Order }) {
  const { t } = useTexts();
  const formats = useFormats();
  const view = useEventView();
  const isEvent = order.type === "event";
  useRead(isEvent ? { method: "api.getEvent", args: { id: order.product.id } } : null);
  const event = useAppSelector(selectEvent(isEvent ? order.product.id : 0));
  const shown = event ? view(event) : null;
  const { subscription } = order;
  // What a trial cost is not what its renewal costs.
  const sold = useAppSelector(selectSubscriptions).find(({ id }) => id === order.product.id) ?? order;
  const about = (() => {
    if (shown) return `${formats.longDay(shown.startsAt)}, ${formats.time(shown.startsAt)}`;
    if (!subscription) return t("orders.bought", { date: formats.date(Date.parse(order.created_at)) });
    const date = formats.date(Date.parse(subscription.current_period_end));
    return subscription.auto_renew === "active"
      ? t("orders.renews", { date, price: formats.money(sold.base_price + sold.service_fee, sold.currency) })
      : t("orders.ends", { date });
  })();
  const line: LineState =
    shown?.status === "live"
      ? { kind: "live" }
      : shown?.status === "upcoming"
        ? { kind: "upcoming" }
        : { kind: "watched", at: shown?.watched ?? 1 };
  return (
    <article className="owned">
      <div>
        <Poster picture={shown?.picture ?? figure(order.product.name)} />
        <Touchline state={line} />
      </div>
      <div>
        <p className="owned__state">
          <Chip tone="success" icon="check">
            {t("state.active")}
          </Chip>
          {order.product.participant_id === undefined ? t(`orders.type.${order.type}`) : t("orders.type.team_pass")}
        </p>
        <h2 className="owned__name">{order.product.name}</h2>
        <p className="type-meta muted">{about}</p>
      </div>
      {isEvent ? (
        <ButtonLink to={linkTo("watch", { id: order.product.id })}>{t("orders.toEvent")}</ButtonLink>
      ) : order.type === "subscription" ? (
        <AutoRenew order={order} />
      ) : (
        <ButtonLink
          to={
            order.product.participant_id === undefined
              ? linkTo("events", {}, { event_category_id: order.product.event_category_id })
              : linkTo("home", {}, { participant: order.product.participant_id })
          }
        >
          {t("orders.toEvents")}
        </ButtonLink>
      )}
    </article>
  );
}

/** What the viewer owns now: the first page of the profile. */
export function Component() {
  const { t } = useTexts();
  const dispatch = useAppDispatch();
  const { at, retry } = useRead({ method: "api.listOrders", args: {} });
  const orders = Object.values(useAppSelector(selectOrdersById))
    .filter(owns)
    .sort((a, b) => b.id - a.id);
  return (
    <ProfilePage title={t("profile.activeOrders")}>
      {orders.length > 0 ? (
        <>
          <div className="owned-list">
            {orders.map((order) => (
              <Owned key={order.id} order={order} />
            ))}
          </div>
          <p className="type-meta muted">
            <Phrase
              text={t("orders.portalText")}
              parts={{
                portal: (words) => (
                  <button type="button" className="link" onClick={() => dispatch(customerPortalPressed())}>
                    {words}
                  </button>
                ),
              }}
            />
          </p>
        </>
      ) : at === "failed" ? (
        <FailedRead onRetry={retry} />
      ) : at !== "loaded" ? (
        <RowSkeletons count={3} />
      ) : (
        <Empty title={t("orders.emptyTitle")} text={t("orders.emptyText")}>
          <ButtonLink to={linkTo("packages")}>{t("list.seePackages")}</ButtonLink>
        </Empty>
      )}
    </ProfilePage>
  );
}
