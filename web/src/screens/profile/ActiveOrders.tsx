import { Chip } from "../../components/basic/Badge";
import { ButtonLink } from "../../components/basic/Button";
import { Empty } from "../../components/basic/Empty";
import { useNow } from "../../components/basic/now";
import { RowSkeletons } from "../../components/basic/Skeleton";
import { type LineState, Touchline } from "../../components/basic/Touchline";
import { titleText } from "../../components/event/FixtureName";
import { Poster } from "../../components/picture/Poster";
import { Phrase } from "../../components/text/Phrase";
import type { Order } from "../../contracts/resources";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { customerPortalPressed } from "../../slices/account";
import { selectSettings } from "../../slices/catalogue";
import { selectEvent } from "../../slices/events";
import { owns, selectHasAllOrders, selectOrdersById } from "../../slices/orders";
import { useEventView } from "../eventViews";
import { FailedRead } from "../FailedRead";
import { useAppDispatch, useAppSelector } from "../state";
import { useOffered } from "../useOffered";
import { useRead } from "../useRead";
import { BoughtSubscription, NextCharge, useEnds } from "./BoughtSubscription";
import { Cards } from "./Cards";
import { EarlierOrders } from "./EarlierOrders";
import { purchaseKind, purchasePath, purchasePicture } from "./ownedView";
import { ProfilePage } from "./ProfilePage";
import { RenewalLink } from "./RenewalLink";
import { periodAt, remainingTrialDays } from "./subscriptionPeriod";

/** An order's status: active, on trial, past due, or its end date; never by colour alone. */
function StateChip({ order, now }: { readonly order: Order; readonly now: number }) {
  const { t } = useTexts();
  const ends = useEnds(order);
  const days = remainingTrialDays(order, now);
  if (ends !== null)
    return (
      <Chip tone="warning" icon="close">
        {t("orders.ends", { date: ends })}
      </Chip>
    );
  if (order.next_action !== undefined)
    return (
      <Chip tone="warning" icon="alert">
        {t("orders.unconfirmed")}
      </Chip>
    );
  if (order.subscription?.past_due)
    return (
      <Chip tone="danger" icon="alert">
        {t("orders.pastDue")}
      </Chip>
    );
  return days === null ? (
    <Chip tone="success" icon="check">
      {t("state.active")}
    </Chip>
  ) : (
    <Chip tone="info" icon="clock">
      {t("orders.trialLeft", { count: days })}
    </Chip>
  );
}

function Owned({ order }: { readonly order: Order }) {
  const { t } = useTexts();
  const formats = useFormats();
  const view = useEventView();
  const isEvent = order.type === "event";
  useRead(isEvent ? { method: "api.getEvent", args: { id: order.product.id } } : null);
  const event = useAppSelector(selectEvent(isEvent ? order.product.id : 0));
  const eventView = event ? view(event) : null;
  const { subscription } = order;
  // The price of a trial isn't the price of its renewal.
  const about = eventView
    ? `${formats.longDay(eventView.startsAt)}, ${formats.time(eventView.startsAt)}`
    : subscription
      ? null
      : t("orders.bought", { date: formats.date(Date.parse(order.created_at)) });
  const now = useNow(60_000);
  const period = periodAt(order, now);
  const line: LineState =
    eventView?.status === "live"
      ? { kind: "live" }
      : eventView?.status === "upcoming"
        ? { kind: "upcoming" }
        : subscription?.past_due
          ? { kind: "steps", steps: ["done", "done", "done", "failed"] }
          : { kind: "watched", at: eventView?.watched ?? period?.passed ?? 1 };
  return (
    <article className="owned">
      <div>
        <Poster picture={eventView?.picture ?? purchasePicture(order)} />
        <Touchline state={line} />
        {period && (
          <p className="owned__period figures" aria-hidden="true">
            <span>{formats.shortDate(period.from)}</span>
            <span>{formats.shortDate(period.to)}</span>
          </p>
        )}
      </div>
      <div>
        <p className="owned__state">
          <StateChip order={order} now={now} />
          {t(`orders.type.${purchaseKind(order)}`)}
        </p>
        <h2 className="owned__name">
          <bdi>{eventView ? titleText(eventView.title) : order.product.name}</bdi>
        </h2>
        <p className="type-meta muted">{about ?? <NextCharge order={order} />}</p>
      </div>
      {isEvent ? (
        <ButtonLink to={purchasePath(order)}>{t("orders.toEvent")}</ButtonLink>
      ) : order.type === "subscription" ? (
        <BoughtSubscription order={order} />
      ) : (
        <ButtonLink to={purchasePath(order)}>{t("orders.toEvents")}</ButtonLink>
      )}
    </article>
  );
}

/** The viewer's active purchases: the profile's first page. */
export function Component() {
  const { t } = useTexts();
  const dispatch = useAppDispatch();
  const keepsCards = useOffered("stripe/save-card");
  const { at, retry } = useRead({ method: "api.listOrders", args: {} });
  const hasAll = useAppSelector(selectHasAllOrders);
  // The sandbox has no billing portal.
  const isSandbox = useAppSelector(selectSettings)?.sandbox_payments === true;
  const all = Object.values(useAppSelector(selectOrdersById)).sort((a, b) => b.id - a.id);
  // A subscription with a failed renewal can still be paid after it has expired.
  const isActive = (order: Order) => owns(order) || order.subscription?.past_due === true;
  const orders = all.filter(isActive);
  return (
    <ProfilePage title={t("profile.activeOrders")}>
      <RenewalLink />
      {orders.length > 0 ? (
        <>
          <div className="owned-list">
            {orders.map((order) => (
              <Owned key={order.id} order={order} />
            ))}
          </div>
          <p className="type-meta muted">
            {isSandbox ? (
              t("orders.receiptsText")
            ) : (
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
            )}
          </p>
        </>
      ) : !hasAll && at === "failed" ? (
        <FailedRead onRetry={retry} />
      ) : !hasAll && at !== "loaded" ? (
        <RowSkeletons count={3} />
      ) : (
        <Empty title={t("orders.emptyTitle")} text={t("orders.emptyText")}>
          <ButtonLink to={linkTo("packages")}>{t("list.seePackages")}</ButtonLink>
        </Empty>
      )}
      <EarlierOrders orders={all.filter((order) => !isActive(order) && order.status !== "created")} />
      {keepsCards && <Cards />}
    </ProfilePage>
  );
}
