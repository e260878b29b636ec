import { EventCard } from "../../components/event/EventCard";
import { Rail } from "../../components/rail/Rail";
import { SectionHeading } from "../../components/text/SectionHeading";
import { useTexts } from "../../i18n/useTexts";
import { selectClippedEventList, selectEventsById } from "../../slices/events";
import { useEventView } from "../eventViews";
import { useAppSelector } from "../state";
import { useRead } from "../useRead";

const FILTER = { limit: 12, sort_direction: "desc" } as const;

/** A rail of events with clips; nothing if there are none (CLIP-7). */
export function EventsWithClips() {
  const { t } = useTexts();
  const viewOf = useEventView();
  useRead({ method: "api.listEventsWithClip", args: { filter: FILTER } });
  const ids = useAppSelector(selectClippedEventList(FILTER))?.ids ?? [];
  const byId = useAppSelector(selectEventsById);
  const events = ids.flatMap((id) => byId[id] ?? []);
  if (events.length === 0) return null;
  return (
    <section className="section" aria-labelledby="rail-clips">
      <SectionHeading id="rail-clips" title={t("clips.gamesWith")} />
      <Rail labelledBy="rail-clips">
        {events.map((event) => (
          <EventCard key={event.id} event={viewOf(event)} />
        ))}
      </Rail>
    </section>
  );
}
