import { useState } from "react";
import { useSearchParams } from "react-router";
import { Badge } from "../../components/basic/Badge";
import type { EventView } from "../../components/event/eventView";
import { FixtureName } from "../../components/event/FixtureName";
import { Loader } from "../../components/shell/Loader";
import type { Event } from "../../contracts/resources";
import { useTexts } from "../../i18n/useTexts";
import type { Theatre } from "../../player/Controls";
import type { PlayerEvent } from "../../player/playback";
import type { ClipRange, OnClip } from "../../player/VideoPlayer";
import type { Playable } from "../../slices/player";
import ProtectedVideo from "../ProtectedVideo";
import type { Moment } from "./moments";
import type { PlayableMedia } from "./playable";
import { Spot } from "./Spot";
import { useChapters } from "./useChapters";
import { useNext } from "./useNext";
import { usePosition } from "./usePosition";
import { usePreroll } from "./usePreroll";
import { useViewing } from "./useViewing";

interface EventPlayerProps {
  readonly event: Event;
  readonly view: EventView;
  readonly media: PlayableMedia;
  /** Time of the viewer's press, by `performance.now()`. */
  readonly pressedAt: number;
  readonly onRefresh: () => void;
  readonly onClip: OnClip | undefined;
  readonly range: ClipRange | undefined;
  readonly theatre: Theatre | undefined;
  readonly moment: Moment | null;
  readonly onPosition: ((time: number) => void) | undefined;
}

/** An event's video: a preroll if due, then the video, whose viewing is reported to the store. */
export default function EventPlayer(props: EventPlayerProps) {
  const { event, view, media, pressedAt, onRefresh, onClip, range, theatre, moment, onPosition } = props;
  const { t } = useTexts();
  const live = media.kind === "live";
  const { id, event_category_id, location_id } = event;

  const before = usePreroll({ event_id: id, event_category_id, location_id, media: live ? "live" : "vod" });

  const [spot, setSpot] = useState<number | null>(null);
  const viewed: Playable = { kind: "event", id, stream_id: media.mediaId, stream_type: live ? "live" : "vod" };
  const report = useViewing(before.at === "over" ? viewed : null, { pressedAt, spot });
  const [startAt, notePosition] = usePosition(live ? null : { kind: "event", id });
  const [search] = useSearchParams();
  const chapters = useChapters(id, media.mediaId);
  const next = useNext(event);
  /** The video's start position; later requests seek. */
  const [openedAt, setOpenedAt] = useState<number | null>(null);
  const firstStart = openedAt ?? moment?.time ?? startAt;
  if (before.at === "over" && openedAt === null) setOpenedAt(firstStart);
  const onEvent = (fact: PlayerEvent) => {
    if (fact.kind === "progressed" || fact.kind === "seeked") onPosition?.(fact.time);
    report(fact);
    notePosition(fact);
  };

  if (before.at === "spot") return <Spot url={before.url} onQuarter={setSpot} />;
  if (before.at === "looking") return <Loader label={t("player.buffering")} />;
  return (
    <ProtectedVideo
      url={media.url}
      wanted={{ kind: "event", id, media_id: media.mediaId }}
      onRefused={onRefresh}
      live={live}
      startAt={firstStart}
      moment={moment}
      title={
        <>
          <span>
            <FixtureName title={view.title} />
          </span>
          {live && <Badge look="live">{t("event.live")}</Badge>}
        </>
      }
      onEvent={onEvent}
      onClip={onClip}
      range={range}
      theatre={theatre}
      fromStart={search.get("from") === "start"}
      chapters={live ? undefined : chapters}
      next={live ? undefined : next}
    />
  );
}
