import { type RefObject, useCallback, useContext, useEffect, useRef, useState } from "react";
import { NowContext, useChannelClock } from "../components/basic/now";
import type { AudioTrack } from "./audioTracks";
import { statusOf } from "./faults";
import type { Pictures } from "./pictures";
import { IDLE, type Playback, type PlayerEvent } from "./playback";
import type { Recovery } from "./recovery";
import { openStream, type Stream, type StreamSource } from "./stream";

export interface VideoCommands {
  play(): void;
  pause(): void;
  seek(time: number): void;
  /** Seeks by this many seconds from the current position, within the seekable range. */
  seekBy(seconds: number): void;
  /** Seeks to the live edge and stays there. */
  goLive(): void;
  setVolume(volume: number): void;
  changeVolume(by: number): void;
  toggleMute(): void;
  setRate(rate: number): void;
  chooseQuality(index: number): void;
  chooseAudio(index: number): void;
  /** Preview pictures on a separate element; null if the stream has none. */
  pictures(video: HTMLVideoElement): Pictures | null;
  retry(): void;
}

/** Failing for longer is reported, in milliseconds; the player keeps trying. */
export const FAILURE_DELAY = 60_000;

/** Events after which the displayed state may change. */
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

function read(video: HTMLVideoElement, stream: Stream, known: Playback): Playback {
  const live = stream.attachment()?.live() ?? null;
  const seekPosition = stream.seekPosition();
  const behind = live && !stream.follows() ? Math.max(0, Math.round(live.edge - seekPosition.time)) : 0;
  return {
    ...known,
    ...seekPosition,
    segment: live?.segment ?? null,
    behind: live === null && stream.isResetting() ? known.behind : behind,
    volume: video.volume,
    muted: video.muted || video.volume === 0,
    silenced: known.silenced && video.muted,
  };
}

function turnTo(video: HTMLVideoElement, volume: number): void {
  video.volume = Math.min(1, Math.max(0, volume));
  video.muted = video.volume === 0;
}

const waitingOf = (recovery: Recovery): Playback["waiting"] =>
  "missing" in recovery ? { missing: recovery.missing, since: recovery.since } : null;

/**
 * Plays `source` on the video element behind `ref` and reports events. `pickAudio` returns the index of the audio track
 * to play.
 */
export function useVideo(
  ref: RefObject<HTMLVideoElement | null>,
  source: StreamSource,
  onEvent: (event: PlayerEvent) => void,
  pickAudio: (tracks: readonly AudioTrack[]) => number,
): readonly [Playback, VideoCommands] {
  const [playback, setPlayback] = useState<Playback>({ ...IDLE, at: "loading" });
  const stream = useRef<Stream | null>(null);
  const channelNow = useChannelClock();
  const clock = useRef(channelNow);
  const listener = useRef(onEvent);
  const picker = useRef(pickAudio);
  const renewing = useRef(source.renew);
  useEffect(() => {
    listener.current = onEvent;
    picker.current = pickAudio;
    renewing.current = source.renew;
    clock.current = channelNow;
  });
  const { url, startAt, expires } = source;
  const renewable = source.renew !== undefined;
  const now = useContext(NowContext);

  useEffect(() => {
    const video = ref.current;
    if (!video) return;
    let firstFrame = false;
    let stalled = false;
    let reportedSecond = -1;
    let position = 0;
    let failureTimer: ReturnType<typeof setTimeout> | undefined;
    const emit = (event: PlayerEvent) => listener.current(event);

    const failed = (status: number | null) => {
      setPlayback((known) => ({ ...known, at: "failed", buffering: false }));
      emit({ kind: "failed", time: video.currentTime, status });
    };
    const opened = openStream(
      video,
      {
        url,
        startAt,
        expires,
        renew: renewable ? async () => (await renewing.current?.()) ?? { url, expires } : undefined,
      },
      {
        onRecovery(recovery) {
          const waiting = waitingOf(recovery);
          setPlayback((known) => ({ ...known, waiting, at: waiting && known.at === "failed" ? "loading" : known.at }));
          if (recovery.at === "refused") failed(recovery.status);
        },
        onFault(fault) {
          emit({ kind: "faulted", time: video.currentTime, cause: fault.cause, status: statusOf(fault) });
        },
        onQualities() {
          setPlayback((known) => ({ ...known, qualities: stream.current?.attachment()?.qualities() ?? [] }));
        },
        onAudioTracks(audioTracks) {
          const audioTrack = picker.current(audioTracks);
          setPlayback((known) => ({ ...known, audioTracks, audioTrack }));
          return audioTrack;
        },
        onQuality({ height, bitrate }) {
          emit({ kind: "qualityChanged", time: video.currentTime, height, bitrate });
        },
        onSilenced() {
          setPlayback((known) => ({ ...known, silenced: true }));
        },
        onNotAllowed() {
          setPlayback((known) => (known.at === "loading" ? { ...known, at: "paused" } : known));
        },
      },
      { now, channelNow: () => clock.current(), draw: Math.random },
    );
    stream.current = opened;
    emit({ kind: "opened", time: startAt, host: new URL(url, location.href).host });

    const watch = ({ type }: { readonly type: string }) => {
      const time = video.currentTime;
      // An element whose decoder failed claims to be at its end.
      if (type === "ended" && video.error) return;
      const reset = opened.isResetting();
      if (type === "pause" && !reset && !video.ended) opened.want(false);
      setPlayback((known) => {
        const next = read(video, opened, known);
        switch (type) {
          case "playing":
            return { ...next, at: "playing", buffering: false };
          case "pause":
            return video.ended || reset ? next : { ...next, at: "paused", buffering: false };
          case "ended":
            return { ...next, at: "ended", buffering: false };
          case "waiting":
            return { ...next, buffering: true };
          default:
            return next;
        }
      });
      if (type === "playing") {
        clearTimeout(failureTimer);
        opened.want(true);
        if (stalled) emit({ kind: "stallEnded", time });
        stalled = false;
        if (!firstFrame) emit({ kind: "firstFrame", time });
        firstFrame = true;
        emit({ kind: "played", time });
      }
      if (type === "pause" && !video.ended && !reset) emit({ kind: "paused", time });
      if (type === "ended") emit({ kind: "ended", time });
      if (type === "waiting" && firstFrame && !video.seeking && !stalled) {
        stalled = true;
        emit({ kind: "stalled", time });
      }
      if (type === "waiting") {
        clearTimeout(failureTimer);
        failureTimer = setTimeout(() => emit({ kind: "failed", time, status: null }), FAILURE_DELAY);
      }
      if (type === "seeked" && firstFrame && !reset) emit({ kind: "seeked", time, from: position });
      if (type === "timeupdate" && !video.seeking && !reset) position = time;
      if (type === "timeupdate" && !video.paused && Math.floor(time) !== reportedSecond) {
        reportedSecond = Math.floor(time);
        const edge = opened.attachment()?.live()?.edge;
        emit({
          kind: "progressed",
          time,
          duration: Number.isFinite(video.duration) ? video.duration : 0,
          dropped: video.getVideoPlaybackQuality?.().droppedVideoFrames ?? null,
          behind: edge === undefined ? null : Math.max(0, edge - time),
        });
      }
    };
    for (const type of WATCHED) video.addEventListener(type, watch);
    return () => {
      for (const type of WATCHED) video.removeEventListener(type, watch);
      clearTimeout(failureTimer);
      opened.close();
      stream.current = null;
    };
  }, [ref, url, startAt, expires, renewable, now]);

  const withVideo = useCallback(
    (act: (video: HTMLVideoElement, stream: Stream) => void) => () => {
      if (ref.current && stream.current) act(ref.current, stream.current);
    },
    [ref],
  );
  const commands: VideoCommands = {
    play: withVideo((video, of) => {
      of.want(true);
      void video.play().catch(() => undefined);
    }),
    pause: withVideo((video, of) => {
      of.want(false);
      video.pause();
    }),
    seek: (time) => withVideo((_, of) => of.seek(time))(),
    seekBy: (seconds) =>
      withVideo((_, of) => {
        const { time, start, end } = of.seekPosition();
        of.seek(Math.min(end, Math.max(start, time + seconds)));
      })(),
    goLive: withVideo((video, of) => {
      of.seek(of.attachment()?.live()?.edge ?? of.seekPosition().end);
      of.want(true);
      void video.play().catch(() => undefined);
    }),
    setVolume: (volume) => withVideo((video) => turnTo(video, volume))(),
    changeVolume: (by) => withVideo((video) => turnTo(video, video.volume + by))(),
    toggleMute: withVideo((video) => {
      video.muted = !video.muted;
      if (!video.muted && video.volume === 0) video.volume = 1;
    }),
    setRate(rate) {
      withVideo((_, of) => of.setRate(rate))();
      setPlayback((known) => ({ ...known, rate }));
    },
    chooseQuality(index) {
      stream.current?.attachment()?.chooseQuality(index);
      setPlayback((known) => ({ ...known, quality: index }));
    },
    chooseAudio(index) {
      stream.current?.attachment()?.chooseAudio(index);
      setPlayback((known) => ({ ...known, audioTrack: index }));
    },
    pictures: (element) => stream.current?.attachment()?.pictures(element) ?? null,
    retry: withVideo((_, of) => {
      of.want(true);
      of.tryNow();
    }),
  };
  return [playback, commands];
}
