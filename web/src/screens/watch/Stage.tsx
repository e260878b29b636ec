import { Suspense, useState } from "react";
import { Badge } from "../../components/basic/Badge";
import { Button } from "../../components/basic/Button";
import { Touchline } from "../../components/basic/Touchline";
import { Countdown } from "../../components/event/Countdown";
import type { EventView } from "../../components/event/eventView";
import { FixtureName } from "../../components/event/FixtureName";
import { Photograph } from "../../components/picture/Photograph";
import { Poster } from "../../components/picture/Poster";
import { Loader } from "../../components/shell/Loader";
import type { Event } from "../../contracts/resources";
import { useTexts } from "../../i18n/useTexts";
import type { Theatre } from "../../player/Controls";
import type { ClipRange, OnClip } from "../../player/VideoPlayer";
import { part } from "../lazyWithRetry";
import { usePlayerAhead } from "../usePlayerAhead";
import { Embedded } from "./Embedded";
import { EmbedWay } from "./EmbedWay";
import type { Moment } from "./moments";
import { playableOf, posterOf, previewOf } from "./playable";
import { useAutoplay } from "./useAutoplay";

/** The still's `sizes` attribute, the same as in the worker's `first.rs`. */
const STILL_SIZES = "(min-width: 900px) 66vw, 100vw";
const EmbeddedVideo = part(() => import("./EmbeddedVideo"));
const EventPlayer = part(() => import("./EventPlayer"));
const VideoPlayer = part(() => import("../../player/VideoPlayer"));

interface StageProps {
  readonly event: Event;
  readonly view: EventView;
  readonly mayWatch: boolean;
  /** Reloads the event: the viewer has lost access. */
  readonly onRefresh: () => void;
  /** The public preview is playing. */
  readonly previewing: boolean;
  readonly onClip: OnClip | undefined;
  readonly range: ClipRange | undefined;
  readonly theatre?: Theatre;
  /** A moment of the recording that the viewer selected. */
  readonly moment?: Moment | null;
  /** Called every second of playback with the recording's position. */
  readonly onPosition?: (time: number) => void;
  /** Without the page around it: the embedded player. */
  readonly bare?: boolean;
}

/** The picture of an event's page: a poster with the event's state, then the video once the viewer presses play. */
export function Stage(props: StageProps) {
  const {
    event,
    view,
    mayWatch,
    onRefresh,
    previewing,
    onClip,
    range,
    theatre,
    moment = null,
    onPosition,
    bare,
  } = props;
  const { t } = useTexts();
  /** Time of the viewer's press, by `performance.now()`. */
  const autoplays = useAutoplay();
  const [pressed, setPressedAt] = useState<number | null>(() => (autoplays ? performance.now() : null));
  const pressedAt = pressed ?? moment?.pressedAt ?? null;
  const playable = mayWatch ? playableOf(event) : null;
  const preview = previewOf(event);
  const plays = playable !== null && playable.kind !== "embedded";
  usePlayerAhead(plays ? EventPlayer.ahead : null, plays && playable.kind === "vod" ? playable.url : null);
  const [broken, setBroken] = useState<string | null>(null);
  const poster = posterOf(event);
  const still = poster?.url === broken ? null : poster;

  const content = (() => {
    if (playable?.kind === "embedded" && pressedAt !== null) {
      return (
        <Suspense fallback={<Loader label={t("player.buffering")} />}>
          <EmbeddedVideo event={event} media={playable} onRefused={onRefresh} />
        </Suspense>
      );
    }
    if (playable && pressedAt !== null) {
      return (
        <Suspense fallback={<Loader label={t("player.buffering")} />}>
          <EventPlayer
            event={event}
            view={view}
            media={playable}
            pressedAt={pressedAt}
            onRefresh={onRefresh}
            onClip={onClip}
            range={range}
            theatre={theatre}
            moment={moment}
            onPosition={onPosition}
          />
        </Suspense>
      );
    }
    if (preview?.isEmbedded && previewing) {
      return <Embedded url={preview.url} wanted={{ kind: "event", id: event.id, media_id: 0 }} onRefused={onRefresh} />;
    }
    if (preview && previewing) {
      return (
        <Suspense fallback={<Loader label={t("player.buffering")} />}>
          <VideoPlayer
            url={preview.url}
            title={
              <span>
                <FixtureName title={view.title} />
              </span>
            }
          />
        </Suspense>
      );
    }
    return (
      <>
        {still !== null && playable ? (
          <Photograph {...still} sizes={STILL_SIZES} onError={() => setBroken(still.url)} />
        ) : (
          <Poster picture={view.picture} square />
        )}
        {view.status === "live" && (
          <p className="stage__state">
            <Badge look="live">{t("event.live")}</Badge>
          </p>
        )}
        <div className={still !== null && playable ? "stage__over" : "stage__over stage__over--low"}>
          {playable && view.offer.kind === "offline" ? (
            <Button look="chalk" size="big" icon="offline" disabled>
              {t("offline.needsConnection")}
            </Button>
          ) : playable ? (
            <Button
              look="chalk"
              size="big"
              icon="play"
              className="stage__play"
              onClick={() => setPressedAt(performance.now())}
            >
              {view.status === "live" ? t("event.watchLive") : t("event.watch")}
            </Button>
          ) : bare && !(mayWatch && view.status === "finished") ? (
            <>
              {view.status === "upcoming" && view.offer.kind !== "blocked" && (
                <Countdown until={view.startsAt} look="ink" />
              )}
              <EmbedWay view={view} />
            </>
          ) : view.offer.kind === "blocked" ? (
            <p className="stage__words" role="status">
              {t("event.blocked")}
            </p>
          ) : view.status === "upcoming" ? (
            <Countdown until={view.startsAt} look="ink" />
          ) : mayWatch ? (
            <p className="stage__words">{t("watch.ended")}</p>
          ) : null}
        </div>
      </>
    );
  })();

  if (bare) return <div className="stage stage--bare">{content}</div>;
  return (
    <div className="watch__stage">
      <div className="stage">{content}</div>
      <Touchline
        state={
          view.offer.kind === "blocked"
            ? { kind: "watched", at: 0 }
            : view.status === "upcoming"
              ? { kind: "upcoming" }
              : view.status === "live"
                ? { kind: "live" }
                : { kind: "watched", at: view.watched }
        }
      />
    </div>
  );
}
