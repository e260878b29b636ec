import { useEffect, useState } from "react";
import { Badge } from "../../components/basic/Badge";
import type { EventView } from "../../components/event/eventView";
import { FixtureName } from "../../components/event/FixtureName";
import { Loader } from "../../components/shell/Loader";
import type { Event } from "../../contracts/resources";
import { useTexts } from "../../i18n/useTexts";
import type { PlayerEvent } from "../../player/playback";
import VideoPlayer, { type ClipRange } from "../../player/VideoPlayer";
import { playerActions } from "../../slices/player";
import { prerollActions, selectPreroll, selectPrerollOver } from "../../slices/preroll";
import ProtectedVideo from "../ProtectedVideo";
import { useAppDispatch, useAppSelector } from "../state";
import type { PlayableMedia } from "./playable";
import { usePlayerFacts } from "./usePlayerFacts";

interface EventPlayerProps {
  readonly event: Event;
  readonly view: EventView;
  readonly media: PlayableMedia;
  readonly onRefresh: () => void;
  readonly onClip: ((time: number) => void) | undefined;
  readonly range: ClipRange | undefined;
}

/** The spot before the video (PRE). */
function Spot({ url }: { readonly url: string }) {
  const dispatch = useAppDispatch();
  const onEvent = (event: PlayerEvent) => {
    if (event.kind === "firstFrame") dispatch(prerollActions.firstFrameShown());
    if (event.kind === "ended") dispatch(prerollActions.ended({ how: "played" }));
    if (event.kind === "failed") dispatch(prerollActions.ended({ how: "broken" }));
  };
  return <VideoPlayer key={url} url={url} spot onEvent={onEvent} />;
}

/** An event's video: a spot when one is due, then the video itself, which tells the store what is watched. */
export default function EventPlayer({ event, view, media, onRefresh, onClip, range }: EventPlayerProps) {
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

  useEffect(() => {
    if (!over) return;
    dispatch(playerActions.opened({ kind: "event", id, stream_id: media.mediaId, stream_type: live ? "live" : "vod" }));
    return () => {
      dispatch(playerActions.closed());
    };
  }, [dispatch, over, id, media.mediaId, live]);

  const tell = usePlayerFacts();
  const onEvent = (fact: PlayerEvent) => {
    tell(fact);
    if (fact.kind === "failed" && (fact.status === 403 || fact.status === 410)) onRefresh();
  };

  if (asked && preroll.at === "playing") return <Spot url={preroll.url} />;
  if (!over) return <Loader label={t("player.buffering")} />;
  return (
    <ProtectedVideo
      url={media.url}
      wanted={{ kind: "event", id, media_id: media.mediaId }}
      onRefused={onRefresh}
      live={live}
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
    />
  );
}
