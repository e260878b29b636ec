import { useMemo } from "react";
import { EventCard } from "../../components/event/EventCard";
import { FixtureRow } from "../../components/event/FixtureRow";
import { Rail } from "../../components/rail/Rail";
import { SectionHeading } from "../../components/text/SectionHeading";
import type { Event, EventFilter, Id } from "../../contracts/resources";
import { shortDay } from "../../i18n/shortDay";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { selectEventsById } from "../../slices/events";
import { queryKey } from "../../slices/queries";
import { SourceClips } from "../clips/SourceClips";
import { PATHS } from "../events/eventFilters";
import { useEventView } from "../eventViews";
import { useAppSelector } from "../state";
import { useReads } from "../useRead";
import { similarFilter } from "./useNext";

/** Maximum number of upcoming fixtures, and of similar recordings. */
const NEXT = 4;
const SIMILAR_LIMIT = 8;

/** The loaded events of several lists in order, without duplicates. */
function useEvents(filters: readonly EventFilter[]): readonly Event[] {
  const queries = useMemo(
    () => filters.map((filter) => ({ method: "api.listEvents", args: { filter } }) as const),
    [filters],
  );
  useReads(queries);
  const lists = useAppSelector(({ events }) => events.lists);
  const byId = useAppSelector(selectEventsById);
  return useMemo(() => {
    const ids = new Set<Id>(queries.flatMap((query) => lists[queryKey(query)]?.ids ?? []));
    return [...ids].flatMap((id) => byId[id] ?? []);
  }, [queries, lists, byId]);
}

/** Below an event's video: its clips, its teams' next games and similar recordings (MEDIA-15). */
export default function BelowVideo({ event }: { readonly event: Event }) {
  return (
    <>
      <SourceClips source={{ kind: "event", id: event.id }} />
      <NextForTeams event={event} />
      <MoreLikeIt event={event} />
    </>
  );
}

function NextForTeams({ event: { id, participants } }: { readonly event: Event }) {
  const { t, language } = useTexts();
  const view = useEventView();
  const filters = useMemo(
    () =>
      participants
        .slice(0, 2)
        .map((team): EventFilter => ({ stream_status: "upcoming", participant: team.id, limit: NEXT + 1, offset: 0 })),
    [participants],
  );
  const next = useEvents(filters)
    .filter((event) => event.id !== id && event.stream_status === "upcoming")
    .toSorted((a, b) => a.event_utc_ts - b.event_utc_ts)
    .slice(0, NEXT);
  if (next.length === 0) return null;
  return (
    <section className="section" aria-labelledby="next-for-teams">
      <SectionHeading
        id="next-for-teams"
        title={t("watch.nextForTeams")}
        more={{ to: linkTo("events"), label: t("home.fullSchedule") }}
      />
      <ul>
        {next.map((event) => (
          <FixtureRow key={event.id} event={view(event)} columns day={shortDay(language, event.event_utc_ts * 1_000)} />
        ))}
      </ul>
    </section>
  );
}

function MoreLikeIt({ event: { id, event_category_id } }: { readonly event: Event }) {
  const { t } = useTexts();
  const view = useEventView();
  const filters = useMemo(() => [similarFilter(event_category_id)], [event_category_id]);
  const similar = useEvents(filters)
    .filter((event) => event.id !== id && event.stream_status === "finished")
    .slice(0, SIMILAR_LIMIT);
  if (similar.length === 0) return null;
  return (
    <section className="section" aria-labelledby="more-like-it">
      <SectionHeading
        id="more-like-it"
        title={t("watch.moreLikeIt")}
        more={{ to: PATHS.finished, label: t("home.allOnDemand") }}
      />
      <Rail labelledBy="more-like-it">
        {similar.map((event) => (
          <EventCard key={event.id} event={view(event)} />
        ))}
      </Rail>
    </section>
  );
}
