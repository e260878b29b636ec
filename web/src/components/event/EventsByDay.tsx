import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { useNow } from "../basic/now";
import { moveInRail, rememberPlace } from "../rail/rails";
import { byDay } from "./byDay";
import { DayHeading } from "./DayHeading";
import { EventCard } from "./EventCard";
import type { EventView } from "./eventView";
import { FixtureRow } from "./FixtureRow";
import "./EventsByDay.css";

interface EventsByDayProps {
  readonly events: readonly EventView[];
  readonly view: "cards" | "table";
}

/** A schedule as cards or as a table, day by day. */
export function EventsByDay({ events, view }: EventsByDayProps) {
  const { t } = useTexts();
  const formats = useFormats();
  const now = useNow(60_000);
  const days = byDay(events, formats.daysApart);
  return (
    <div className="events-by-day">
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
      {days.map((day) => (
        <section key={day[0].id} className="events-by-day__day">
          <DayHeading now={now} day={day[0].startsAt} count={day.length} level={2} />
          {view === "cards" ? (
            <ul className="card-grid events-by-day__cards" data-rail="" onKeyDown={moveInRail} onFocus={rememberPlace}>
              {day.map((event) => (
                <li key={event.id} className="events-by-day__card" data-card="">
                  <EventCard event={event} />
                </li>
              ))}
            </ul>
          ) : (
            <ul>
              {day.map((event) => (
                <FixtureRow key={event.id} event={event} columns />
              ))}
            </ul>
          )}
        </section>
      ))}
    </div>
  );
}
