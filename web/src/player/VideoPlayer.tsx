import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { Button } from "../components/basic/Button";
import { Icon } from "../components/basic/Icon";
import { useTexts } from "../i18n/useTexts";
import type { MediaAddress } from "../ports/media";
import { Controls } from "./Controls";
import { behindLive, type PlayerEvent } from "./playback";
import { useVideo } from "./useVideo";
import "./VideoPlayer.css";

/** A marked part of the recording, seconds: what a clip is cut from. */
export interface ClipRange {
  readonly start: number;
  readonly end: number;
}

interface VideoPlayerProps {
  readonly url: string;
  readonly live?: boolean;
  readonly startAt?: number;
  /** Until when `url` works, milliseconds since 1970. */
  readonly expires?: number | null;
  /** Gets another address of the same stream, before this one ends or once it is refused. */
  readonly renew?: (() => Promise<MediaAddress>) | undefined;
  /** Over the picture's upper edge. */
  readonly title?: ReactNode;
  /** A spot before the video: no seeking, and it says that the video follows. */
  readonly spot?: boolean;
  readonly onEvent?: (event: PlayerEvent) => void;
  /** Offers the Clip button; is told where the player stands, seconds. */
  readonly onClip?: ((time: number) => void) | undefined;
  readonly range?: ClipRange | undefined;
}

/** Controls hide after this long without input, milliseconds; never while one of them has the focus. */
const REST = 3_000;
const STEP = 10;

/** The video with its controls and its keys: space, arrows, M, F, C. */
export default function VideoPlayer(props: VideoPlayerProps) {
  const { url, live = false, startAt = 0, expires = null, renew, title, spot = false, onEvent, onClip, range } = props;
  const { t } = useTexts();
  const video = useRef<HTMLVideoElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const [playback, commands] = useVideo(video, { url, startAt, expires, renew }, (event) => onEvent?.(event));
  /** How often there was input, and after which of them the controls went to rest. */
  const [stirred, setStirred] = useState(0);
  const [restedAfter, setRestedAfter] = useState(-1);
  const playing = playback.at === "playing" && !playback.buffering;

  const resting = playing && restedAfter === stirred;

  useEffect(() => {
    if (!playing) return;
    const timer = setTimeout(() => {
      const inside = frame.current?.querySelector(".player__controls :focus-visible");
      if (!inside) setRestedAfter(stirred);
    }, REST);
    return () => clearTimeout(timer);
  }, [playing, stirred]);

  // The button that opened the player is gone with the poster: the focus goes on from here, and the keys work at once.
  useEffect(() => frame.current?.focus({ preventScroll: true }), []);

  const [whole, setWhole] = useState(false);
  useEffect(() => {
    const look = () => setWhole(document.fullscreenElement !== null && document.fullscreenElement === frame.current);
    document.addEventListener("fullscreenchange", look);
    return () => document.removeEventListener("fullscreenchange", look);
  }, []);

  const stir = () => setStirred((count) => count + 1);
  const toggleFullscreen = () => {
    if (document.fullscreenElement) void document.exitFullscreen();
    else void frame.current?.requestFullscreen?.().catch(() => undefined);
  };
  const pressClip = async () => {
    const { time } = playback;
    // What it opens stands outside the player.
    if (document.fullscreenElement) await document.exitFullscreen().catch(() => undefined);
    onClip?.(time);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    stir();
    const onControl = (event.target as HTMLElement).closest("button, input, select") !== null;
    if (event.altKey || event.ctrlKey || event.metaKey || (onControl && event.key !== "Escape")) return;
    const seek = (by: number) =>
      !spot && commands.seek(Math.min(playback.end, Math.max(playback.start, playback.time + by)));
    switch (event.key) {
      case " ":
      case "Enter":
      case "k":
        if (playback.at === "playing") commands.pause();
        else commands.play();
        break;
      case "ArrowLeft":
        seek(-STEP);
        break;
      case "ArrowRight":
        seek(STEP);
        break;
      case "m":
        commands.toggleMute();
        break;
      case "f":
        toggleFullscreen();
        break;
      case "c":
        commands.toggleCaptions();
        break;
      default:
        return;
    }
    event.preventDefault();
  };

  return (
    <div
      ref={frame}
      className={`player${resting ? " player--resting" : ""}`}
      role="group"
      aria-label={t("player.label")}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerMove={stir}
      onFocus={stir}
    >
      <video
        ref={video}
        className="player__video"
        playsInline
        onClick={({ nativeEvent }) => {
          // A finger has no way to ask for the controls but this.
          const asks = resting && nativeEvent instanceof PointerEvent && nativeEvent.pointerType === "touch";
          stir();
          if (asks) return;
          if (playback.at === "playing") commands.pause();
          else commands.play();
        }}
      />
      {title !== undefined && <div className="player__top">{title}</div>}
      {playback.at === "failed" ? (
        <div className="player__message" role="alert">
          <Icon name="alert" size="large" />
          <p>{t("player.error")}</p>
          <Button look="chalk" icon="refresh" onClick={commands.retry}>
            {t("player.retry")}
          </Button>
        </div>
      ) : (
        (playback.at === "loading" || playback.buffering) && (
          <div className="player__message" role="status">
            <span className="player__ring" aria-hidden="true" />
            <span className="visually-hidden">{t("player.buffering")}</span>
          </div>
        )
      )}
      {playback.at === "paused" && playback.time === 0 && (
        <div className="player__message">
          <Button look="chalk" icon="play" size="big" onClick={commands.play}>
            {t("player.play")}
          </Button>
        </div>
      )}
      <Controls
        playback={playback}
        commands={commands}
        live={live}
        spot={spot}
        behind={live ? behindLive(playback) : 0}
        range={range}
        onClip={onClip && (() => void pressClip())}
        fullscreen={whole}
        onFullscreen={toggleFullscreen}
        onPip={() => void video.current?.requestPictureInPicture?.().catch(() => undefined)}
      />
    </div>
  );
}
