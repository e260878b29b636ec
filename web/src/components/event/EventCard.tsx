import { Link } from "react-router";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { Badge } from "../basic/Badge";
import { useNow } from "../basic/now";
import { type LineState, Touchline } from "../basic/Touchline";
import { Poster } from "../picture/Poster";
import type { EventView } from "./eventView";
import { FixtureName } from "./FixtureName";
import { OfferButton, usePriceLabel } from "./OfferButton";
import { Score } from "./Score";
import "./EventCard.css";

const MINUTE = 60_000;

function lineOf(event: EventView): LineState {
  if (event.offer.kind === "blocked") return { kind: "watched", at: 0 };
  if (event.status === "upcoming") return { kind: "upcoming" };
  if (event.status === "live" && event.offer.kind !== "offline") return { kind: "live" };
  return { kind: "watched", at: event.status === "finished" ? event.watched : 0 };
}

interface EventCardProps {
  readonly event: EventView;
  /** The card's heading level. */
  readonly level?: 2 | 3;
  /** Last known state of a live event before the connection was lost, e.g. "Was live at 5:08 PM". */
  readonly stale?: string | undefined;
}

/** An event as a card with one button. The whole card links to its page. */
export function EventCard({ event, level = 3, stale }: EventCardProps) {
  const { t } = useTexts();
  const formats = useFormats();
  const price = usePriceLabel();
  const now = useNow(MINUTE);
  const Heading = level === 2 ? "h2" : "h3";
  const badge =
    stale !== undefined ? (
      <Badge look="ink">{stale}</Badge>
    ) : event.status === "live" ? (
      <Badge look="live">{t("event.live")}</Badge>
    ) : event.status === "upcoming" ? (
      <Badge look="ink">{formats.time(event.startsAt)}</Badge>
    ) : null;
  const bottomRight =
    stale !== undefined ? null : event.status === "live" ? (
      <Badge look="ink">{formats.span(Math.max(MINUTE, now - event.startsAt))}</Badge>
    ) : event.status === "finished" && event.duration !== null ? (
      <Badge look="ink">{formats.duration(event.duration)}</Badge>
    ) : null;
  const about = [event.kind, event.status === "finished" ? formats.day(event.startsAt) : event.location];
  return (
    <article className="event-card">
      <Poster picture={event.picture} corners={{ topLeft: badge, bottomRight }} dim={event.offer.kind === "offline"} />
      <Touchline state={lineOf(event)} />
      <div className="event-card__body">
        <Heading className="event-card__name">
          <Link className="event-card__link" data-stop="" to={event.to}>
            <FixtureName title={event.title} />
          </Link>
        </Heading>
        <p className="event-card__meta">{about.filter(Boolean).join(", ")}</p>
        <Score event={event} />
        {event.offer.kind === "blocked" && event.status !== "upcoming" && (
          <p className="event-card__meta">{t("event.blocked")}</p>
        )}
        {event.status === "finished" && event.watched > 0 && (
          <p className="visually-hidden">{t("event.watched", { percent: formats.percent(event.watched) })}</p>
        )}
      </div>
      {event.status === "upcoming" ? (
        <div className="event-card__act">
          <div>
            <p className="event-card__price figures">{price(event)}</p>
            <p className="event-card__meta figures">{formats.until(event.startsAt - now)}</p>
          </div>
          <OfferButton event={event} variant="row" />
        </div>
      ) : (
        (event.status === "live" || event.offer.kind === "login" || event.offer.kind === "register") && (
          <div className="event-card__act">
            <OfferButton event={event} variant="act" />
          </div>
        )
      )}
    </article>
  );
}
