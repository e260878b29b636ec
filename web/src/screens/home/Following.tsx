import { CardSkeletons } from "../../components/basic/Skeleton";
import { EventCard } from "../../components/event/EventCard";
import { Rail } from "../../components/rail/Rail";
import { SectionHeading } from "../../components/text/SectionHeading";
import type { StreamStatus } from "../../contracts/resources";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { selectEventsById, selectFavouriteEventList } from "../../slices/events";
import { useEventView } from "../eventViews";
import { useAppSelector } from "../state";
import { useRead } from "../useRead";

/** How many events of each state are shown. */
const LIMIT = 12;
const ID = "following";

function useStatus(stream_status: StreamStatus) {
  const filter = { stream_status, limit: LIMIT } as const;
  const { at } = useRead({ method: "api.listFavouriteEvents", args: { filter } });
  const list = useAppSelector(selectFavouriteEventList(filter));
  const byId = useAppSelector(selectEventsById);
  const events = (list?.ids ?? []).flatMap((id) => byId[id] ?? []);
  return { waits: list === null && at !== "failed", events };
}

/** What the viewer follows, before everything else: what is live, what comes, then what was (FAV-4). */
export default function Following() {
  const { t } = useTexts();
  const view = useEventView();
  const statuses = [useStatus("live"), useStatus("upcoming"), useStatus("finished")];
  const waits = statuses.some((status) => status.waits);
  const events = statuses.flatMap((status) => status.events);
  if (!waits && events.length === 0) return null;
  return (
    <section className="section" aria-labelledby={ID}>
      <SectionHeading
        id={ID}
        title={t("favourites.yours")}
        more={{ to: linkTo("favourites"), label: t("favourites.all") }}
      />
      {waits ? (
        <CardSkeletons count={4} rail />
      ) : (
        <Rail labelledBy={ID}>
          {events.slice(0, LIMIT).map((event) => (
            <EventCard key={event.id} event={view(event)} />
          ))}
        </Rail>
      )}
    </section>
  );
}
