import { type CSSProperties, memo } from "react";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { useNow } from "../basic/now";
import { moveInRail, rememberPosition } from "../rail/rails";
import { byDay } from "./byDay";
import { DayHeading } from "./DayHeading";
import { EventCard } from "./EventCard";
import type { EventView } from "./eventView";
import { FixtureRow } from "./FixtureRow";
import "./EventsByDay.css";

interface EventsByDayProps {
  readonly events: readonly EventView[];
  readonly view: "cards" | "table";
  /** Marks the current time in a list of past and future events. */
  readonly marksNow?: boolean;
}

// Memoised: showing more rows doesn't render existing rows again.
const Row = memo(FixtureRow);
const Card = memo(EventCard);

/** A key for the calendar day. Called for each event, and much cheaper than a format. */
const dayKey = (ms: number) => new Date(ms).toDateString();
const apart = (now: number, then: number) => (dayKey(now) === dayKey(then) ? 0 : 1);

function NowLine({ now }: { readonly now: number }) {
  const { t } = useTexts();
  const formats = useFormats();
  return (
    <li className="events-by-day__now" aria-hidden="true">
      {t("schedule.now", { time: formats.time(now) })}
    </li>
  );
}

/** A schedule as cards or as a table, grouped by day. */
export function EventsByDay({ events, view, marksNow = false }: EventsByDayProps) {
  const { t } = useTexts();
  const now = useNow(60_000);
  return (
    // The browser remembers the height of days that it skips: another view starts afresh.
    <div key={view} className="events-by-day">
      {view === "table" && (
        <div className="events-by-day__columns type-label" aria-hidden="true">
          <span>{t("list.columns.time")}</span>
          <span />
          <span>{t("list.columns.event")}</span>
          <span>{t("list.columns.venue")}</span>
          <span>{t("list.columns.starts")}</span>
          <span className="events-by-day__price">{t("list.columns.price")}</span>
        </div>
      )}
      {byDay(events, apart).map((day) => {
        // The marker goes between two of today's events; before the first or after the last, the heading is enough.
        const next =
          marksNow && apart(now, day[0].startsAt) === 0 ? day.findIndex(({ startsAt }) => startsAt > now) : 0;
        return (
          <section
            key={day[0].id}
            className={`events-by-day__day${view === "cards" ? " events-by-day__day--cards" : ""}`}
            style={{ "--count": day.length } as CSSProperties}
          >
            <DayHeading now={now} day={day[0].startsAt} count={day.length} level={2} />
            {view === "cards" ? (
              <ul
                className="card-grid events-by-day__cards"
                data-rail=""
                onKeyDown={moveInRail}
                onFocus={rememberPosition}
              >
                {day.map((event) => (
                  <li key={event.id} className="events-by-day__card" data-card="">
                    <Card event={event} />
                  </li>
                ))}
              </ul>
            ) : (
              <ul>
                {day.flatMap((event, at) => [
                  ...(next > 0 && at === next ? [<NowLine key="now" now={now} />] : []),
                  <Row key={event.id} event={event} columns />,
                ])}
              </ul>
            )}
          </section>
        );
      })}
    </div>
  );
}
