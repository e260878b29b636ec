import { Link } from "react-router";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { useNow } from "../basic/now";
import { Crest } from "../picture/Crest";
import type { EventView } from "./eventView";
import { FixtureName } from "./FixtureName";
import { OfferButton, usePriceLabel } from "./OfferButton";
import { Score } from "./Score";
import "./FixtureRow.css";

interface FixtureRowProps {
  readonly event: EventView;
  /** Adds venue and start columns on wide screens. */
  readonly columns?: boolean;
  /** The day, for rows without a day heading; shown above the time. */
  readonly day?: string;
}

/** A row of a schedule: time, away @ home, price and one button. */
export function FixtureRow({ event, columns, day }: FixtureRowProps) {
  const { t } = useTexts();
  const formats = useFormats();
  const price = usePriceLabel();
  const now = useNow(60_000);
  const [time, half] = day === undefined ? formats.timeParts(event.startsAt) : [day, formats.time(event.startsAt)];
  return (
    <li
      className={`fixture-row${columns ? " fixture-row--columns" : ""}${day ? " fixture-row--dated" : ""}`}
      data-card=""
    >
      <time className="fixture-row__time figures" dateTime={new Date(event.startsAt).toISOString()}>
        {time}
        <small>{half}</small>
      </time>
      <div className="fixture-row__crests">
        {event.sides.map((side) => (
          <Crest key={side.id} name={side.name} color={side.color} image={side.crest} />
        ))}
      </div>
      <div className="fixture-row__what">
        <Link className="fixture-row__name" data-stop="" to={event.to}>
          <FixtureName title={event.title} />
        </Link>
        <p className="fixture-row__meta">{event.offer.kind === "blocked" ? t("event.blocked") : event.kind}</p>
        <Score event={event} />
      </div>
      {columns && (
        <>
          <p className="fixture-row__where">
            <bdi>{event.venue}</bdi>
            <br />
            <bdi>{event.location}</bdi>
          </p>
          <p className="fixture-row__start figures">
            {event.status === "upcoming"
              ? formats.until(event.startsAt - now)
              : event.status === "live"
                ? t("event.live")
                : formats.relative(now, event.startsAt)}
          </p>
        </>
      )}
      <div className="fixture-row__go">
        <span className="figures">{price(event, true)}</span>
        <OfferButton event={event} variant="row" />
      </div>
    </li>
  );
}
