import { useSearchParams } from "react-router";
import { RowSkeletons } from "../../components/basic/Skeleton";
import { EventCard } from "../../components/event/EventCard";
import { FixtureRow } from "../../components/event/FixtureRow";
import { moveInRail, rememberPosition } from "../../components/rail/rails";
import { SectionHeading } from "../../components/text/SectionHeading";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import type { ListView } from "../useListView";
import { useEventPages } from "./useEventPages";

const ID = "live-now";

/** Live events that match the address's filters, above today's schedule. */
export function LiveNow({ view }: { readonly view: ListView }) {
  const { t } = useTexts();
  const formats = useFormats();
  const [params] = useSearchParams();
  const { events, total, at } = useEventPages("live", params, 1);
  if (events.length === 0) return at === "idle" || at === "loading" ? <RowSkeletons count={3} /> : null;
  return (
    <section className="events__live" aria-labelledby={ID}>
      <SectionHeading id={ID} title={t("home.liveNow")} count={formats.count(total ?? events.length)} />
      {view === "cards" ? (
        <ul className="card-grid" data-rail="" onKeyDown={moveInRail} onFocus={rememberPosition}>
          {events.map((event) => (
            <li key={event.id} className="events-by-day__card" data-card="">
              <EventCard event={event} />
            </li>
          ))}
        </ul>
      ) : (
        <ul className="events__live-rows">
          {events.map((event) => (
            <FixtureRow key={event.id} event={event} columns />
          ))}
        </ul>
      )}
    </section>
  );
}
