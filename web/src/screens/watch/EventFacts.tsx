import { useRef, useState } from "react";
import { Button } from "../../components/basic/Button";
import { Icon } from "../../components/basic/Icon";
import { useChannelClock, useNow } from "../../components/basic/now";
import { calendarFile } from "../../components/event/calendar";
import type { EventView } from "../../components/event/eventView";
import { FixtureName, titleText } from "../../components/event/FixtureName";
import { Score } from "../../components/event/Score";
import { TeamCard } from "../../components/event/TeamCard";
import type { Event } from "../../contracts/resources";
import { formatsFor } from "../../i18n/format";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { isolated } from "../../lib/isolated";
import { linkToParticipant } from "../../navigation";
import { eventDownloadPressed } from "../../slices/account";
import { selectLocations } from "../../slices/catalogue";
import { selectOnline } from "../../slices/network";
import { selectMayWatch } from "../../slices/orders";
import { selectCapabilities } from "../../slices/user";
import { teamsOf } from "../eventViews";
import { HideScores } from "../HideScores";
import { useAppDispatch, useAppSelector } from "../state";
import { useFavourites } from "../useFavourites";
import { playableOf, previewOf } from "./playable";
import { SharePanel } from "./SharePanel";

const PIN_ICON = {
  path: "M12 21q-6.500-6.500-6.500-11.500a6.500 6.500 0 0 1 13 0Q18.500 14.500 12 21M9.700 9.700a2.300 2.300 0 1 0 4.600 0a2.300 2.300 0 1 0-4.600 0",
};

/** The start time, in the viewer's zone and, where it differs, at the venue. */
function When({ event, view }: { readonly event: Event; readonly view: EventView }) {
  const { t, language } = useTexts();
  const formats = useFormats();
  const now = useNow(60_000);
  const venueFormats = formatsFor(language, event.time_zone);
  const apart = formats.daysApart(now, view.startsAt);
  const day =
    apart === 0
      ? t("day.today")
      : apart === 1
        ? t("day.tomorrow")
        : apart === -1
          ? t("day.yesterday")
          : formats.date(view.startsAt);
  const same =
    venueFormats.time(view.startsAt) === formats.time(view.startsAt) &&
    venueFormats.date(view.startsAt) === formats.date(view.startsAt);
  return (
    <div className="watch__fact">
      <Icon name="clock" />
      <p>
        {view.status === "live"
          ? t("event.started", { ago: formats.relative(now, view.startsAt) })
          : `${day}, ${formats.time(view.startsAt)}`}
        <small>
          {view.status === "live"
            ? `${formats.longDay(view.startsAt)}, ${formats.time(view.startsAt)}, ${formats.zoneName(view.startsAt)}.`
            : `${formats.longDay(view.startsAt)}, ${formats.zoneName(view.startsAt)}.`}
          {!same && ` ${t("watch.atVenue", { time: venueFormats.time(view.startsAt) })}`}
        </small>
      </p>
    </div>
  );
}

interface EventFactsProps {
  readonly event: Event;
  readonly view: EventView;
  readonly previewing: boolean;
  readonly onPreview: (previewing: boolean) => void;
  /** The recording's position in seconds. */
  readonly position: () => number;
}

/** An event's title, time, venue and teams. */
export function EventFacts({ event, view, previewing, onPreview, position }: EventFactsProps) {
  const { t } = useTexts();
  const formats = useFormats();
  const preview = previewOf(event);
  const online = useAppSelector(selectOnline);
  const now = useChannelClock();
  const dispatch = useAppDispatch();
  const { download } = useAppSelector(selectCapabilities);
  const mayWatch = useAppSelector(selectMayWatch(event)) && view.offer.kind !== "blocked";
  const playable = download && mayWatch ? playableOf(event) : null;
  // The worker can't offer a recording on another host for download (MEDIA-3).
  const file = playable?.kind === "vod" && playable.isDownloadable;
  const favourites = useFavourites();
  const [sharing, setSharing] = useState(false);
  const shareButton = useRef<HTMLDivElement>(null);
  const location = useAppSelector(selectLocations).find(({ id }) => id === event.location_id);
  return (
    <>
      <div className="watch__head">
        <div className="stack stack--tight">
          <p className="type-label">{view.kind}</p>
          <h1 className="type-fixture">
            <FixtureName title={view.title} />
          </h1>
        </div>
        <div className="watch__share" ref={shareButton}>
          <Button icon="share" aria-expanded={sharing} onClick={() => setSharing(!sharing)}>
            {t("common.share")}
          </Button>
        </div>
      </div>
      {view.score && (
        <div className="watch__score">
          <Score event={view} />
          <HideScores />
        </div>
      )}
      {sharing && (
        <SharePanel
          id={event.id}
          title={titleText(view.title)}
          path={view.to}
          position={view.status === "finished" ? position : null}
          onClose={() => {
            setSharing(false);
            shareButton.current?.querySelector("button")?.focus();
          }}
        />
      )}
      {event.description !== "" && <p className="muted reading">{event.description}</p>}
      <div className="watch__facts">
        <When event={event} view={view} />
        {location && (
          <div className="watch__fact">
            <Icon name={PIN_ICON} />
            <p>
              <bdi>{location.name}</bdi>
              <small>{`${isolated(location.city)}, ${location.state}`}</small>
            </p>
          </div>
        )}
      </div>
      <div className="watch__teams">
        {teamsOf(event).map((team) => (
          <TeamCard
            key={team.id}
            team={{
              id: team.id,
              name: team.short_name,
              detail: team.properties.nickname ?? "",
              color: team.color,
              crest: team.images[0] ?? null,
            }}
            to={linkToParticipant(team)}
            {...favourites("participant", team.id)}
          />
        ))}
      </div>
      <div className="watch__acts">
        {preview && (
          <Button
            icon={previewing ? "close" : online ? "play" : "offline"}
            disabled={!online && !previewing}
            onClick={() => onPreview(!previewing)}
          >
            {previewing ? t("watch.stopPreview") : t("watch.preview")}
            {!previewing && preview.duration > 0 && (
              <span className="muted figures">{formats.duration(preview.duration)}</span>
            )}
          </Button>
        )}
        {file && (
          <Button icon="download" onClick={() => dispatch(eventDownloadPressed({ id: event.id }))}>
            {t("watch.download")}
          </Button>
        )}
        {view.status === "upcoming" && !mayWatch && (
          <Button look="quiet" icon="calendar" onClick={() => calendarFile(view, now())}>
            {t("event.addToCalendar")}
          </Button>
        )}
      </div>
    </>
  );
}
