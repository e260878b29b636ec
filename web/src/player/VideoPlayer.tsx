import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Button } from "../components/basic/Button";
import { useTexts } from "../i18n/useTexts";
import type { MediaAddress } from "../ports/media";
import { audioKey, pickAudio } from "./audioTracks";
import { CaptionLines } from "./CaptionLines";
import { Controls, type Theatre } from "./Controls";
import { type LookPart, turned, useCaptionLook } from "./captionLook";
import type { Chapter } from "./chapters";
import { DRAWINGS } from "./icons";
import { KeyList } from "./KeyList";
import { isForPlayer, nameOfKey, press as pressKey } from "./keys";
import type { PlayerEvent } from "./playback";
import { usePreference } from "./preferences";
import { Settings } from "./Settings";
import { SpotOverlay, type SpotRules, skip } from "./SpotOverlay";
import { Trouble } from "./Trouble";
import { isTelevision, moveFocus } from "./television";
import { type Next, UpNext } from "./UpNext";
import { useCaptions } from "./useCaptions";
import { useFullScreen } from "./useFullScreen";
import { useOtherTabs } from "./useOtherTabs";
import { usePictureInPicture } from "./usePictureInPicture";
import { usePlatform } from "./usePlatform";
import { useRemote } from "./useRemote";
import { useVideo } from "./useVideo";
import { useVolumeControl } from "./useVolumeControl";
import "./VideoPlayer.css";

/** The state of a live stream when *Clip* is pressed: player seconds, and the number of its oldest segment. */
export interface ClipWindow {
  readonly segment: number;
  readonly start: number;
  readonly end: number;
}

/** *Clip* was pressed at this second. */
export type OnClip = (time: number, window: ClipWindow | null) => void;

export interface ClipRange {
  readonly start: number;
  readonly end: number;
}

interface VideoPlayerProps {
  readonly url: string;
  readonly live?: boolean;
  readonly startAt?: number;
  /** Expiry of `url`, in Unix milliseconds. */
  readonly expires?: number | null;
  /** Requests another address of the same stream, before this one expires or once it is refused. */
  readonly renew?: (() => Promise<MediaAddress>) | undefined;
  /** Over the picture's upper edge. */
  readonly title?: ReactNode;
  /** A spot before the video: no seeking, and a note that the video follows. */
  readonly spot?: SpotRules;
  readonly onEvent?: (event: PlayerEvent) => void;
  /** Offers the Clip button; called with the player's position in seconds. */
  readonly onClip?: OnClip | undefined;
  readonly range?: ClipRange | undefined;
  /** Named parts, in order of their start. */
  readonly chapters?: readonly Chapter[] | undefined;
  readonly theatre?: Theatre | undefined;
  /** The video to play after this one. */
  readonly next?: Next | undefined;
  /** Starts a live stream at its oldest available second. */
  readonly fromStart?: boolean;
  /** A second chosen outside the player. A new object is a new choice. */
  readonly moment?: { readonly time: number } | null;
}

const NO_CHAPTERS: readonly Chapter[] = [];

/** Controls hide after this time without input, in milliseconds, unless one of them has the focus. */
const REST = 3_000;
const STEP = 10;
/** Two taps within this time are a double tap, in milliseconds. */
const DOUBLE_TAP = 350;
/** A resumed video offers to start over for this many seconds of playback. */
const RESUMED_FOR = 10;

/** The video with its controls and keyboard shortcuts, which `?` lists. */
export default function VideoPlayer(props: VideoPlayerProps) {
  const { url, live = false, startAt = 0, expires = null, renew, title, spot: rules, onEvent, onClip, range } = props;
  const { chapters = NO_CHAPTERS, theatre, next, fromStart = false, moment = null } = props;
  const { t, language } = useTexts();
  const spot = rules !== undefined;
  const video = useRef<HTMLVideoElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const [audio, storeAudio] = usePreference("audio", "");
  const [playback, commands] = useVideo(
    video,
    { url, startAt, expires, renew },
    (event) => onEvent?.(event),
    (tracks) => pickAudio(tracks, audio, language),
  );
  const isPausedByOther = useOtherTabs(playback, commands.pause);
  /** Number of inputs, and the one after which the controls were hidden. */
  const [activity, setActivity] = useState(0);
  const [restedAfter, setRestedAfter] = useState(-1);
  const [resumed, setResumed] = useState(startAt > 0);
  const playing = playback.at === "playing" && !playback.buffering;

  const resting = playing && restedAfter === activity;

  useEffect(() => {
    if (!playing) return;
    const timer = setTimeout(() => {
      const inside = frame.current?.querySelector(".player__controls :focus-visible");
      if (!inside) setRestedAfter(activity);
    }, REST);
    return () => clearTimeout(timer);
  }, [playing, activity]);

  // The button that opened the player is gone: the player takes the focus, so that shortcuts work at once.
  useEffect(() => frame.current?.focus({ preventScroll: true }), []);

  const fullScreen = useFullScreen(frame, video, spot, playback.at === "playing");
  const pictureInPicture = usePictureInPicture(video);
  const pip = spot ? undefined : pictureInPicture;
  const hasVolume = useVolumeControl();
  const showControls = () => setActivity((count) => count + 1);
  const pressClip = async () => {
    const { time, segment, start, end } = playback;
    // The clip form is outside the player.
    const leaving = fullScreen.leave();
    if (leaving) await leaving;
    onClip?.(time, segment === null ? null : { segment, start, end });
  };
  const captions = useCaptions(video, language, fullScreen.mode === "video");
  const [look, setLook] = useCaptionLook();
  const onRemote = useRemote(video);
  const [opened, setOpened] = useState(false);
  const closeSettings = () => {
    setOpened(false);
    frame.current?.querySelector<HTMLElement>(".player__gear")?.focus({ preventScroll: true });
  };
  // The start of a live stream is known once its playlist has loaded.
  const startsFromBeginning = useRef(fromStart && live);
  const isLoaded = live && playback.end > playback.start;
  useEffect(() => {
    if (!startsFromBeginning.current || !isLoaded || !playing) return;
    startsFromBeginning.current = false;
    commands.seek(playback.start);
  });
  const lastMoment = useRef(moment);
  useEffect(() => {
    if (moment === lastMoment.current) return;
    lastMoment.current = moment;
    if (moment === null) return;
    commands.seek(moment.time);
    commands.play();
    frame.current?.focus({ preventScroll: true });
  });
  const [helps, setHelps] = useState(false);
  const press = useRef<(key: string, isRepeat: boolean) => boolean>(() => false);
  // Before the frame is painted: a key does what the buttons say.
  useLayoutEffect(() => {
    press.current = (key, isRepeat) => {
      showControls();
      // Seeking is disabled in a spot.
      if (rules && key.toLowerCase() === "s" && skip(rules, playback)) return true;
      if (spot && !/^[ kmf]$|^Enter$/i.test(key)) return false;
      const onHelp = () => setHelps(!helps);
      const acts = {
        playback,
        commands,
        live,
        chapters,
        hasVolume,
        onHelp,
        onFullscreen: fullScreen.toggle,
        onPip: pip?.toggle,
        onClip: onClip && (() => void pressClip()),
        onCaptions: captions.toggle,
        onCaptionLook: (part: LookPart, by: 1 | -1) => setLook(part, turned(look, part, by)),
        onNext: next?.onPlay,
        onTheatre: theatre?.onToggle,
      };
      return pressKey(key, acts, isRepeat);
    };
  });
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      const player = frame.current;
      if (!player || event.defaultPrevented) return;
      const isInside = event.target instanceof Node && player.contains(event.target);
      const hasRemote = isTelevision(navigator.userAgent);
      if (isInside && hasRemote && event.key.startsWith("Arrow") && moveFocus(player, event.key))
        return event.preventDefault();
      if (isForPlayer(event, player, hasRemote) && press.current(nameOfKey(event), event.repeat))
        event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  usePlatform(playback, commands, spot);
  const tapped = useRef({ at: Number.NEGATIVE_INFINITY, direction: 0 });

  return (
    <div
      ref={frame}
      className={`player${resting ? " player--resting" : ""}${fullScreen.mode === "window" ? " player--filling" : ""}`}
      role="group"
      aria-label={t("player.label")}
      tabIndex={0}
      onKeyDown={showControls}
      onPointerMove={showControls}
      onFocus={showControls}
    >
      <video
        ref={video}
        className="player__video"
        playsInline
        onClick={({ nativeEvent, currentTarget }) => {
          // A tap is touch's only way to show the controls; a double tap at a side skips ten seconds.
          if (nativeEvent instanceof PointerEvent && nativeEvent.pointerType === "touch") {
            const side = nativeEvent.offsetX / currentTarget.clientWidth - 0.5;
            const direction = Math.abs(side) > 0.15 ? Math.sign(side) : 0;
            const { at, direction: before } = tapped.current;
            tapped.current = { at: nativeEvent.timeStamp, direction };
            showControls();
            const isDouble = nativeEvent.timeStamp - at < DOUBLE_TAP && direction === before;
            if (isDouble && direction !== 0 && !spot) commands.seekBy(direction * STEP);
            return;
          }
          showControls();
          if (playback.at === "playing") commands.pause();
          else commands.play();
        }}
      />
      {rules && <SpotOverlay playback={playback} rules={rules} />}
      {title !== undefined && <div className="player__top">{title}</div>}
      {resumed && !live && !spot && playback.time < startAt + RESUMED_FOR && playback.at !== "failed" && (
        <div className="player__resumed">
          <Button
            look="chalk"
            icon={DRAWINGS.fromStart}
            onClick={() => {
              commands.seek(0);
              setResumed(false);
              frame.current?.focus({ preventScroll: true });
            }}
          >
            {t("player.startOver")}
          </Button>
        </div>
      )}
      {helps && (
        <KeyList
          without={[
            ...(live ? [] : ["live"]),
            ...(onClip ? [] : ["clip"]),
            ...(theatre ? [] : ["theatre"]),
            ...(chapters.length > 0 ? [] : ["chapter"]),
            ...(captions.tracks.length > 0 ? [] : ["captions", "captionSize", "captionBackground", "captionOpacity"]),
            ...(next ? [] : ["next"]),
            ...(fullScreen.toggle ? [] : ["fullscreen"]),
            ...(pip ? [] : ["pip"]),
            ...(hasVolume ? [] : ["loudness"]),
          ]}
          onClose={() => {
            setHelps(false);
            frame.current?.focus({ preventScroll: true });
          }}
        />
      )}
      <CaptionLines lines={captions.lines} />
      {opened && (
        <Settings
          playback={playback}
          commands={commands}
          captions={captions}
          onAudio={(track) => storeAudio(audioKey(track))}
          live={live}
          pip={pip}
          onClose={closeSettings}
        />
      )}
      {playback.silenced && playing && (
        <div className="player__resumed" role="status">
          <Button look="chalk" icon={DRAWINGS.mute} onClick={commands.toggleMute}>
            {t("player.silenced")}
          </Button>
        </div>
      )}
      {isPausedByOther && (
        <p className="player__resumed player__elsewhere" role="status">
          {t("player.playsElsewhere")}
        </p>
      )}
      {playback.at === "ended" && next && (
        <UpNext
          {...next}
          onAgain={() => {
            commands.seek(0);
            commands.play();
            frame.current?.focus({ preventScroll: true });
          }}
        />
      )}
      <Trouble playback={playback} onRetry={commands.retry} />
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
        behind={live ? playback.behind : 0}
        range={range}
        chapters={chapters}
        captions={captions}
        settings={{ open: opened, onToggle: () => (opened ? closeSettings() : setOpened(true)) }}
        theatre={theatre}
        onRemote={onRemote}
        onClip={onClip && (() => void pressClip())}
        hasVolume={hasVolume}
        fullScreen={fullScreen}
        pip={pip}
      />
    </div>
  );
}
