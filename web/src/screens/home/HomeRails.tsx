import { memo, useDeferredValue } from "react";
import { Empty } from "../../components/basic/Empty";
import { useNow } from "../../components/basic/now";
import { CardSkeletons } from "../../components/basic/Skeleton";
import { byDay } from "../../components/event/byDay";
import { DayHeading } from "../../components/event/DayHeading";
import { EventCard } from "../../components/event/EventCard";
import type { EventView } from "../../components/event/eventView";
import { FixtureRow } from "../../components/event/FixtureRow";
import { NextUp } from "../../components/event/NextUp";
import { Rail } from "../../components/rail/Rail";
import { moveInRail, rememberPosition } from "../../components/rail/rails";
import { SectionHeading } from "../../components/text/SectionHeading";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { selectEventRails, selectEventsById } from "../../slices/events";
import { selectAnsweredAt } from "../../slices/queries";
import { useEventView } from "../eventViews";
import { FailedRead } from "../FailedRead";
import { useAppSelector } from "../state";
import { useRead } from "../useRead";

const QUERY = { method: "api.listHomeRails", args: {} } as const;
/** Rows below the next event. */
const ROWS = 6;

interface SectionProps {
  readonly id: string;
  readonly title: string;
  /** null if unknown. */
  readonly total: number | null;
  readonly events: readonly EventView[];
  readonly more?: { readonly to: string; readonly label: string };
}

/** Upcoming events: the next one large, the others as a list. */
export function UpcomingSection({ id, title, events, more }: Omit<SectionProps, "total">) {
  const formats = useFormats();
  const now = useNow(60_000);
  const [next, ...others] = events;
  if (!next) return null;
  return (
    <section className="section" aria-labelledby={id}>
      <SectionHeading id={id} title={title} more={more} />
      <div className="home__next">
        <NextUp event={next} />
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
    </section>
  );
}

/** A rail of live events or recordings. */
export function RailSection({ id, title, total, events, more }: SectionProps) {
  const { t } = useTexts();
  const formats = useFormats();
  const answeredAt = useAppSelector(selectAnsweredAt(QUERY));
  if (events.length === 0) return null;
  const stale = (event: EventView) =>
    event.status === "live" && event.offer.kind === "offline" && answeredAt !== null
      ? t("offline.wasLive", { time: formats.time(answeredAt) })
      : undefined;
  return (
    <section className="section" aria-labelledby={id}>
      <SectionHeading
        id={id}
        title={title}
        count={id === "live" && total !== null ? formats.count(total) : undefined}
        more={more}
      />
      <Rail labelledBy={id}>
        {events.map((event) => (
          <EventCard key={event.id} event={event} stale={stale(event)} />
        ))}
      </Rail>
    </section>
  );
}

/** The home page's rails in the channel's order. Rails of a single sport belong to the schedule. */
export function HomeRails() {
  const { at, retry } = useRead(QUERY);
  // Rendering is deferred in chunks, so that input is handled in between.
  const rails = useDeferredValue(useAppSelector(selectEventRails));
  const byId = useDeferredValue(useAppSelector(selectEventsById));
  return <Rails at={useDeferredValue(at)} rails={rails} byId={byId} retry={retry} />;
}

interface RailsProps extends Pick<ReturnType<typeof useRead>, "at" | "retry"> {
  readonly rails: ReturnType<typeof selectEventRails>;
  readonly byId: ReturnType<typeof selectEventsById>;
}

const Rails = memo(function Rails({ at, rails, byId, retry }: RailsProps) {
  const { t } = useTexts();
  const view = useEventView();
  if (rails.length === 0) {
    if (at === "failed") return <FailedRead onRetry={retry} />;
    if (at !== "loaded") {
      return (
        <div className="section">
          <CardSkeletons count={4} rail />
        </div>
      );
    }
  }
  const filtered = rails.map((rail) => ({
    ...rail,
    events: rail.ids.flatMap((id) => {
      const event = byId[id];
      return event ? [view(event)] : [];
    }),
  }));
  if (filtered.every(({ events }) => events.length === 0)) {
    return (
      <div className="section">
        <Empty title={t("home.emptyTitle")} text={t("home.emptyText")} />
      </div>
    );
  }
  return filtered.map((rail) => {
    switch (rail.id) {
      case "live":
        return (
          <RailSection
            key={rail.id}
            {...rail}
            // A pushed status change removes an event from its rail at once.
            events={rail.events.filter(({ status }) => status === "live")}
            title={t("home.liveNow")}
            more={{ to: "/live", label: t("home.allLive") }}
          />
        );
      case "upcoming":
        return (
          <UpcomingSection
            key={rail.id}
            {...rail}
            events={rail.events.filter(({ status }) => status === "upcoming")}
            title={t("home.upcoming")}
            more={{ to: linkTo("events"), label: t("home.fullSchedule") }}
          />
        );
      case "finished":
        return (
          <RailSection
            key={rail.id}
            {...rail}
            title={t("home.onDemand")}
            more={{ to: "/vod", label: t("home.allOnDemand") }}
          />
        );
      default:
        return null;
    }
  });
});
