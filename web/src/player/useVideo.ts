import { type RefObject, useCallback, useContext, useEffect, useRef, useState } from "react";
import { NowContext } from "../components/basic/now";
import type { MediaAddress } from "../ports/media";
import { type Attachment, attach } from "./attach";
import { IDLE, type Playback, type PlayerEvent } from "./playback";

interface VideoSource {
  readonly url: string;
  /** Where to begin, seconds; 0 for the start, or a live stream's edge. */
  readonly startAt: number;
  /** Until when `url` works, milliseconds since 1970; null where it does not end. */
  readonly expires: number | null;
  /** Gets another address of the same stream. Absent where there is none to get. */
  readonly renew: (() => Promise<MediaAddress>) | undefined;
}

/** What controls may ask of a video. */
export interface VideoCommands {
  play(): void;
  pause(): void;
  seek(time: number): void;
  setVolume(volume: number): void;
  toggleMute(): void;
  chooseQuality(index: number): void;
  toggleCaptions(): void;
  retry(): void;
}

/** How long before its end an address is replaced, milliseconds. */
const RENEWED_BEFORE = 10 * 60_000;
/** Not more often than this after failures, milliseconds: a stream that is broken is not asked for without end. */
const RENEWED_AT_MOST = 10_000;
/** A browser's timer fires at once when it is set to longer, milliseconds. */
const LONGEST_WAIT = 2 ** 31 - 1;
/** What the channel answers once an address has ended. */
const ENDED: ReadonlySet<number> = new Set([401, 403, 410]);

/** Everything that changes what is shown. */
const WATCHED = [
  "playing",
  "pause",
  "ended",
  "waiting",
  "timeupdate",
  "durationchange",
  "volumechange",
  "seeking",
  "seeked",
  "progress",
] as const;

function read(video: HTMLVideoElement, known: Playback): Playback {
  const { seekable } = video;
  const end =
    seekable.length > 0 ? seekable.end(seekable.length - 1) : Number.isFinite(video.duration) ? video.duration : 0;
  const tracks = [...video.textTracks];
  return {
    ...known,
    time: video.currentTime,
    end,
    start: seekable.length > 0 ? seekable.start(0) : 0,
    volume: video.volume,
    muted: video.muted || video.volume === 0,
    captions: tracks.length === 0 ? "none" : tracks.some(({ mode }) => mode === "showing") ? "on" : "off",
  };
}

/** Plays `source` on the video element behind `ref`, and tells what happens. */
export function useVideo(
  ref: RefObject<HTMLVideoElement | null>,
  source: VideoSource,
  onEvent: (event: PlayerEvent) => void,
): readonly [Playback, VideoCommands] {
  const [playback, setPlayback] = useState<Playback>({ ...IDLE, at: "loading" });
  const attachment = useRef<Attachment | null>(null);
  const tell = useRef(onEvent);
  useEffect(() => {
    tell.current = onEvent;
  });
  const { url, startAt, expires } = source;
  const now = useContext(NowContext);
  const renewing = useRef(source.renew);
  useEffect(() => {
    renewing.current = source.renew;
  });

  useEffect(() => {
    const video = ref.current;
    if (!video) return;
    let left = false;
    let firstFrame = false;
    let toldSecond = -1;
    let position = 0;
    let renewal: ReturnType<typeof setTimeout> | undefined;
    let renewedAt = Number.NEGATIVE_INFINITY;
    const renew = async () => {
      clearTimeout(renewal);
      renewedAt = now();
      const next = await renewing.current?.();
      if (left || !next) return;
      attachment.current?.renew(next.url);
      renewBefore(next.expires);
    };
    const renewBefore = (end: number | null) => {
      if (end === null || !renewing.current) return;
      const wait = Math.min(Math.max(end - now() - RENEWED_BEFORE, RENEWED_BEFORE), LONGEST_WAIT);
      // Where it fails, the address that is there plays on; once that fails, another is asked for again.
      renewal = setTimeout(() => void renew().catch(() => renewBefore(end)), wait);
    };
    const fail = (reason: { retryable: boolean; status: number | null }) => {
      if (left) return;
      // A login or a change of rights has ended the address: whoever may still watch gets another, and sees nothing of it.
      const { status } = reason;
      // The browser's own player does not tell what it was answered.
      const mayRenew = status === null ? video.error !== null : ENDED.has(status);
      if (mayRenew && renewing.current && attachment.current && now() - renewedAt > RENEWED_AT_MOST) {
        renew().catch(() => stop(reason));
        return;
      }
      stop(reason);
    };
    const stop = (reason: { retryable: boolean; status: number | null }) => {
      if (left) return;
      setPlayback((known) => ({ ...known, at: "failed", buffering: false, retryable: reason.retryable }));
      tell.current({ kind: "failed", time: video.currentTime, status: reason.status });
    };
    const watch = ({ type }: globalThis.Event) => {
      const time = video.currentTime;
      setPlayback((known) => {
        const now = read(video, known);
        switch (type) {
          case "playing":
            return { ...now, at: "playing", buffering: false };
          case "pause":
            return {
              ...now,
              at: video.ended ? "ended" : known.at === "failed" ? "failed" : "paused",
              buffering: false,
            };
          case "ended":
            return { ...now, at: "ended", buffering: false };
          case "waiting":
            return { ...now, buffering: true };
          case "timeupdate":
            // The last one comes after the picture has run dry.
            return { ...now, buffering: !video.paused && video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA };
          default:
            return now;
        }
      });
      if (type === "playing") {
        if (!firstFrame) {
          firstFrame = true;
          tell.current({ kind: "firstFrame", time });
        }
        tell.current({ kind: "played", time });
      }
      if (type === "pause" && !video.ended) tell.current({ kind: "paused", time });
      if (type === "ended") tell.current({ kind: "ended", time });
      if (type === "waiting" && firstFrame && !video.seeking) tell.current({ kind: "stalled", time });
      if (type === "seeked" && firstFrame) tell.current({ kind: "seeked", time, from: position });
      if (type === "timeupdate" && !video.seeking) position = time;
      if (type === "timeupdate" && !video.paused && Math.floor(time) !== toldSecond) {
        toldSecond = Math.floor(time);
        tell.current({ kind: "progressed", time, duration: Number.isFinite(video.duration) ? video.duration : 0 });
      }
    };
    const begin = () => {
      if (startAt > 0) video.currentTime = startAt;
      // Refused without a gesture: the viewer presses play.
      video.play().catch(() => {
        if (!left) setPlayback((known) => (known.at === "loading" ? { ...known, at: "paused" } : known));
      });
    };
    renewBefore(expires);
    for (const type of WATCHED) video.addEventListener(type, watch);
    video.addEventListener("loadedmetadata", begin, { once: true });
    attach(video, url, {
      onFailed: fail,
      onQualities: () => {
        if (!left) setPlayback((known) => ({ ...known, qualities: attachment.current?.qualities() ?? [] }));
      },
    }).then(
      (attached) => {
        if (left) attached.detach();
        else attachment.current = attached;
      },
      () => fail({ retryable: true, status: null }),
    );
    return () => {
      left = true;
      clearTimeout(renewal);
      for (const type of WATCHED) video.removeEventListener(type, watch);
      video.removeEventListener("loadedmetadata", begin);
      attachment.current?.detach();
      attachment.current = null;
    };
  }, [ref, url, startAt, expires, now]);

  const withVideo = useCallback(
    (act: (video: HTMLVideoElement) => void) => () => {
      if (ref.current) act(ref.current);
    },
    [ref],
  );
  const commands: VideoCommands = {
    play: withVideo((video) => void video.play().catch(() => undefined)),
    pause: withVideo((video) => video.pause()),
    seek: (time) => withVideo((video) => (video.currentTime = time))(),
    setVolume: (volume) =>
      withVideo((video) => {
        video.volume = Math.min(1, Math.max(0, volume));
        video.muted = video.volume === 0;
      })(),
    toggleMute: withVideo((video) => {
      video.muted = !video.muted;
      if (!video.muted && video.volume === 0) video.volume = 1;
    }),
    chooseQuality(index) {
      attachment.current?.chooseQuality(index);
      setPlayback((known) => ({ ...known, quality: index }));
    },
    toggleCaptions: withVideo((video) => {
      const on = [...video.textTracks].some(({ mode }) => mode === "showing");
      for (const track of video.textTracks) track.mode = on ? "disabled" : "showing";
      setPlayback((known) => read(video, known));
    }),
    retry() {
      setPlayback((known) => ({ ...known, at: "loading" }));
      attachment.current?.retry();
      withVideo((video) => void video.play().catch(() => undefined))();
    },
  };

  const mayRetry = playback.at === "failed" && playback.retryable;
  useEffect(() => {
    if (!mayRetry) return;
    const retry = () => {
      const video = ref.current;
      // Who had paused it finds it paused.
      const rests = video !== null && video.paused && video.currentTime > 0;
      setPlayback((known) => ({ ...known, at: rests ? "paused" : "loading" }));
      attachment.current?.retry();
      if (!rests) void video?.play().catch(() => undefined);
    };
    window.addEventListener("online", retry);
    return () => window.removeEventListener("online", retry);
  }, [mayRetry, ref]);
  return [playback, commands];
}
