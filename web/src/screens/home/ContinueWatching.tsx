import { Link } from "react-router";
import { Badge } from "../../components/basic/Badge";
import { CardSkeletons } from "../../components/basic/Skeleton";
import { Touchline } from "../../components/basic/Touchline";
import { FixtureName, type Title } from "../../components/event/FixtureName";
import { type Picture, Poster } from "../../components/picture/Poster";
import { Rail } from "../../components/rail/Rail";
import { SectionHeading } from "../../components/text/SectionHeading";
import type { PlaybackPosition } from "../../contracts/resources";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { MINUTE } from "../../lib/time";
import { linkTo } from "../../navigation";
import { selectEventsById } from "../../slices/events";
import { resumeAt, selectPositions, subjectOf, watchedShare } from "../../slices/positions";
import type { Query } from "../../slices/queries";
import { selectVodById } from "../../slices/vod";
import { useEventView } from "../eventViews";
import { vodPicture } from "../library/vodView";
import { useAppSelector } from "../state";
import { useReads } from "../useRead";
import "../../components/event/EventCard.css";

/** Maximum number of entries, since each is loaded separately. */
const LIMIT = 8;
const ID = "continue";

interface Started {
  readonly position: PlaybackPosition;
  readonly to: string;
  readonly title: Title;
  readonly picture: Picture;
  readonly about: string;
}

const queryOf = ({ kind, id }: PlaybackPosition): Query =>
  kind === "event" ? { method: "api.getEvent", args: { id } } : { method: "api.getVodItem", args: { id } };

/** A started video: picture, progress and remaining time. */
function StartedCard({ position, to, title, picture, about }: Started) {
  const { t } = useTexts();
  const formats = useFormats();
  const share = watchedShare(position);
  const remaining = Math.max(MINUTE, position.duration_ms - position.position_ms);
  return (
    <article className="event-card">
      <Poster
        picture={picture}
        corners={{
          bottomRight: <Badge look="ink">{t("continueWatching.left", { time: formats.span(remaining) })}</Badge>,
        }}
      />
      <Touchline state={{ kind: "watched", at: share }} />
      <div className="event-card__body">
        <h3 className="event-card__name">
          <Link className="event-card__link" data-stop="" to={to}>
            <FixtureName title={title} />
          </Link>
        </h3>
        <p className="event-card__meta">{about}</p>
        <p className="visually-hidden">{t("event.watched", { percent: formats.percent(share) })}</p>
      </div>
    </article>
  );
}

/** Started videos that the viewer may still watch, latest first (HOME-1, PLAYBACK-1). */
export function ContinueWatching() {
  const { t } = useTexts();
  const formats = useFormats();
  const view = useEventView();
  const positions = Object.values(useAppSelector(selectPositions))
    .filter((position) => resumeAt(position) > 0)
    .toSorted((a, b) => b.at - a.at)
    .slice(0, LIMIT);
  const { at } = useReads(positions.map(queryOf));
  const events = useAppSelector(selectEventsById);
  const videos = useAppSelector(selectVodById);
  const started = positions.flatMap((position): Started[] => {
    if (position.kind === "event") {
      const event = events[position.id];
      if (event?.stream_status !== "finished" || !event.has_access) return [];
      const { to, title, picture, kind, startsAt } = view(event);
      return [{ position, to, title, picture, about: [kind, formats.day(startsAt)].filter(Boolean).join(", ") }];
    }
    const video = videos[position.id];
    if (!video) return [];
    const to = linkTo("vodItem", { id: video.id });
    const about = formats.date(Date.parse(video.date));
    return [{ position, to, title: video.title, picture: vodPicture(video), about }];
  });
  const isLoading = started.length === 0 && (at === "idle" || at === "loading");
  if (positions.length === 0 || (started.length === 0 && !isLoading)) return null;
  return (
    <section className="section" aria-labelledby={ID}>
      <SectionHeading id={ID} title={t("continueWatching.title")} />
      {isLoading ? (
        <CardSkeletons count={4} rail />
      ) : (
        <Rail labelledBy={ID}>
          {started.map((one) => (
            <StartedCard key={subjectOf(one.position)} {...one} />
          ))}
        </Rail>
      )}
    </section>
  );
}
