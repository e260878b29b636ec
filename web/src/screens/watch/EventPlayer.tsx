import { useEffect, useState } from "react";
import { useSearchParams } from "react-router";
import { Badge } from "../../components/basic/Badge";
import type { EventView } from "../../components/event/eventView";
import { FixtureName } from "../../components/event/FixtureName";
import { Loader } from "../../components/shell/Loader";
import type { Event } from "../../contracts/resources";
import { useTexts } from "../../i18n/useTexts";
import type { Theatre } from "../../player/Controls";
import type { PlayerEvent } from "../../player/playback";
import type { ClipRange } from "../../player/VideoPlayer";
import type { Playable } from "../../slices/player";
import { prerollActions, selectPreroll, selectPrerollOver } from "../../slices/preroll";
import ProtectedVideo from "../ProtectedVideo";
import { useAppDispatch, useAppSelector } from "../state";
import type { PlayableMedia } from "./playable";
import { Spot } from "./Spot";
import { useChapters } from "./useChapters";
import { useNext } from "./useNext";
import { usePosition } from "./usePosition";
import { useViewing } from "./useViewing";

interface EventPlayerProps {
  readonly event: Event;
  readonly view: EventView;
  readonly media: PlayableMedia;
  /** When the viewer asked for it, milliseconds of `performance.now()`. */
  readonly pressedAt: number;
  readonly onRefresh: () => void;
  readonly onClip: ((time: number) => void) | undefined;
  readonly range: ClipRange | undefined;
  readonly theatre: Theatre | undefined;
}

/** An event's video: a spot when one is due, then the video itself, which tells the store what is watched. */
export default function EventPlayer(props: EventPlayerProps) {
  const { event, view, media, pressedAt, onRefresh, onClip, range, theatre } = props;
  const { t } = useTexts();
  const dispatch = useAppDispatch();
  const preroll = useAppSelector(selectPreroll);
  const isOver = useAppSelector(selectPrerollOver);
  /** Until this video asked for its spot, what the state tells is of a page that is gone. */
  const [asked, setAsked] = useState(false);
  const over = asked && isOver;
  const live = media.kind === "live";
  const { id, event_category_id, location_id } = event;

  useEffect(() => {
    dispatch(prerollActions.wanted({ event_id: id, event_category_id, location_id, media: live ? "live" : "vod" }));
    // oxlint-disable-next-line react/set-state-in-effect -- Only now does the store tell of this video and of none before.
    setAsked(true);
    return () => {
      dispatch(prerollActions.left());
    };
  }, [dispatch, id, event_category_id, location_id, live]);

  const [spot, setSpot] = useState<number | null>(null);
  const viewed: Playable = { kind: "event", id, stream_id: media.mediaId, stream_type: live ? "live" : "vod" };
  const tell = useViewing(over ? viewed : null, { pressedAt, spot });
  const [startAt, notePosition] = usePosition(live ? null : { kind: "event", id });
  const [search] = useSearchParams();
  const chapters = useChapters(id, media.mediaId);
  const next = useNext(event);
  const onEvent = (fact: PlayerEvent) => {
    tell(fact);
    notePosition(fact);
    if (fact.kind === "failed" && (fact.status === 403 || fact.status === 410)) onRefresh();
  };

  if (asked && preroll.at === "playing") return <Spot url={preroll.url} onQuarter={setSpot} />;
  if (!over) return <Loader label={t("player.buffering")} />;
  return (
    <ProtectedVideo
      url={media.url}
      wanted={{ kind: "event", id, media_id: media.mediaId }}
      onRefused={onRefresh}
      live={live}
      startAt={startAt}
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
