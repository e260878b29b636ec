import { Link } from "react-router";
import { useNow } from "../../components/basic/now";
import { Touchline } from "../../components/basic/Touchline";
import { FixtureName } from "../../components/event/FixtureName";
import { Poster } from "../../components/picture/Poster";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { selectEventList, selectEventsById } from "../../slices/events";
import { useEventView } from "../eventViews";
import { useAppSelector } from "../state";
import { useRead } from "../useRead";

const QUERY = { method: "api.listEvents", args: { filter: { stream_status: "live", limit: 24, offset: 0 } } } as const;
const MAX_EVENTS = 3;
const MINUTE = 60_000;

/** Other live events. */
export function AlsoLive({ except }: { readonly except: number }) {
  const { t } = useTexts();
  const formats = useFormats();
  const now = useNow(MINUTE);
  useRead(QUERY);
  const list = useAppSelector(selectEventList(QUERY.args.filter));
  const byId = useAppSelector(selectEventsById);
  const view = useEventView();
  const events = (list?.ids ?? [])
    .flatMap((id) => {
      const event = byId[id];
      return event && event.id !== except && event.stream_status === "live" ? [view(event)] : [];
    })
    .slice(0, MAX_EVENTS);
  if (events.length === 0) return null;
  return (
    <section className="also-live" aria-labelledby="also-live">
      <h2 className="type-section" id="also-live">
        {byId[except]?.stream_status === "live" ? t("watch.alsoLive") : t("home.liveNow")}
      </h2>
      {events.map((event) => (
        <Link key={event.id} className="also-live__event" to={event.to}>
          <div>
            <Poster picture={event.picture} />
            <Touchline state={{ kind: "live" }} />
          </div>
          <div>
            <p className="also-live__name">
              <FixtureName title={event.title} />
            </p>
            {event.offer.kind === "blocked" && <p className="type-meta muted">{t("event.blocked")}</p>}
            <p className="type-meta muted">{`${event.kind}, ${formats.span(Math.max(MINUTE, now - event.startsAt))}`}</p>
          </div>
        </Link>
      ))}
    </section>
  );
}
