import { useNow } from "../../components/basic/now";
import { CardSkeletons } from "../../components/basic/Skeleton";
import { byDay } from "../../components/event/byDay";
import { DayHeading } from "../../components/event/DayHeading";
import { EventCard } from "../../components/event/EventCard";
import { FixtureRow } from "../../components/event/FixtureRow";
import { NextUp } from "../../components/event/NextUp";
import { Rail } from "../../components/rail/Rail";
import { moveInRail, rememberPosition } from "../../components/rail/rails";
import { SectionHeading } from "../../components/text/SectionHeading";
import type { StreamStatus } from "../../contracts/resources";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { selectEventsById, selectFavouriteEventList } from "../../slices/events";
import { selectFavourites } from "../../slices/favourites";
import { useEventView } from "../eventViews";
import { useAppSelector } from "../state";
import { useRead } from "../useRead";

/** Events per state to load. */
const LIMIT = 12;
/** Rows beside the first event. */
const ROWS = 6;
const ID = "following";

function useStatus(stream_status: StreamStatus, wanted = true) {
  const filter = { stream_status, limit: LIMIT } as const;
  const { at } = useRead(wanted ? { method: "api.listFavouriteEvents", args: { filter } } : null);
  const list = useAppSelector(selectFavouriteEventList(filter));
  const byId = useAppSelector(selectEventsById);
  const view = useEventView();
  // A pushed status change moves an event at once.
  const events = (list?.ids ?? []).flatMap((id) => {
    const event = byId[id];
    return event?.stream_status === stream_status ? [view(event)] : [];
  });
  return { waits: wanted && list === null && at !== "failed", events };
}

/** Events of followed sports, schools and teams: live and upcoming, or past if there are none (FAV-4, HOME-1). */
function Followed() {
  const { t } = useTexts();
  const formats = useFormats();
  const now = useNow(60_000);
  const live = useStatus("live");
  const upcoming = useStatus("upcoming");
  const [first, ...others] = [...live.events, ...upcoming.events];
  const waits = live.waits || upcoming.waits;
  const finished = useStatus("finished", !waits && first === undefined);
  if (!waits && first === undefined && !finished.waits && finished.events.length === 0) return null;
  return (
    <section className="section" aria-labelledby={ID}>
      <SectionHeading
        id={ID}
        title={t("favourites.yours")}
        more={{ to: linkTo("favourites"), label: t("favourites.all") }}
      />
      {waits || finished.waits ? (
        <CardSkeletons count={4} rail />
      ) : first === undefined ? (
        <Rail labelledBy={ID}>
          {finished.events.map((event) => (
            <EventCard key={event.id} event={event} />
          ))}
        </Rail>
      ) : (
        <div className="home__next">
          {first.status === "live" ? <EventCard event={first} /> : <NextUp event={first} />}
          <div>
            {byDay(others.slice(0, ROWS), formats.daysApart).map((day) => (
              <div key={day[0].id} className="home__day">
                <DayHeading now={now} day={day[0].startsAt} />
                <ul data-rail="" onKeyDown={moveInRail} onFocus={rememberPosition}>
                  {day.map((event) => (
                    <FixtureRow key={event.id} event={event} />
                  ))}
                </ul>
              </div>
            ))}
          </div>
        </div>
      )}
    </section>
  );
}

export function Following() {
  const follows = useAppSelector((state) => selectFavourites(state).length > 0);
  return follows ? <Followed /> : null;
}
