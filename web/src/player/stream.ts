import { isRefusal, PortError } from "../ports/error";
import type { MediaAddress } from "../ports/media";
import { type AttachHandlers, type Attachment, attach, type LiveWindow } from "./attach";
import type { Fault } from "./faults";
import { aheadOf, liveMove } from "./liveSpeed";
import { beginningAt, behindNow, INSIDE, type LastPosition } from "./liveStart";
import { CLEAR, type Effect, type Recovery, type RecoveryEvent, recover } from "./recovery";

export interface StreamSource {
  readonly url: string;
  /** The start position in seconds; 0 for the start, or a live stream's edge. */
  readonly startAt: number;
  /** Expiry of `url` in Unix milliseconds; null if it doesn't expire. */
  readonly expires: number | null;
  /** Requests another address of the same stream, if possible. */
  readonly renew: (() => Promise<MediaAddress>) | undefined;
}

export interface StreamHandlers extends Pick<AttachHandlers, "onQualities" | "onQuality" | "onAudioTracks"> {
  onRecovery(recovery: Recovery): void;
  onFault(fault: Fault): void;
  /** The browser only allows muted autoplay: it plays muted. */
  onSilenced(): void;
  /** The browser blocks autoplay. */
  onNotAllowed(): void;
}

/** A position within the seekable range. */
export interface SeekPosition {
  readonly time: number;
  readonly start: number;
  readonly end: number;
}

/** A stream that recovers from any fault. */
export interface Stream {
  attachment(): Attachment | null;
  /** Whether the viewer wants playback; false if they paused it. */
  want(playing: boolean): void;
  wants(): boolean;
  /** Whether the element's `pause` event came from a decoder reset, not from the viewer. */
  isResetting(): boolean;
  /** Position of the seek bar, in seconds: while the element is empty or has failed, what it showed before. */
  seekPosition(): SeekPosition;
  /** Seeks to a position. After a seek to the live edge, playback follows the edge. */
  seek(time: number): void;
  /** The viewer's speed, which a live stream temporarily changes to catch up. */
  setRate(rate: number): void;
  /** Whether it stays at the live edge. */
  follows(): boolean;
  /** Retries at once. */
  tryNow(): void;
  close(): void;
}

/** An address is replaced this long before it expires, in milliseconds. */
const RENEWED_BEFORE = 10 * 60_000;
/** Longest delay that browsers support for timers, in milliseconds. */
const MAX_TIMEOUT = 2 ** 31 - 1;
const TICK = 250;
/** A buffered picture that is frozen for this long is stuck, in milliseconds. */
const STUCK_AFTER = 6_000;
/** Without a load or a failure for this long, the library is stuck, in milliseconds. */
const LOST_AFTER = 70_000;
/** A smaller buffer runs dry before anything else arrives, in seconds. */
const NEARLY_DRY = 0.3;
/** Within this distance a position counts as the live edge, in seconds. */
const EDGE = 5;

export interface StreamDeps {
  /** The device's time, in Unix milliseconds: for durations. */
  now(): number;
  /** The channel's time, in Unix milliseconds: for expiries. */
  channelNow(): number;
  /** A random number in [0, 1). */
  draw(): number;
}

/** Plays `source` on `video`. */
export function openStream(
  video: HTMLVideoElement,
  source: StreamSource,
  handlers: StreamHandlers,
  { now, channelNow, draw }: StreamDeps,
): Stream {
  let closed = false;
  let url = source.url;
  let attached: Attachment | null = null;
  let recovery: Recovery = CLEAR;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let renewal: ReturnType<typeof setTimeout> | undefined;
  let shouldPlay = true;
  let following = source.startAt <= 0;
  let rate = 1;
  let resetting = false;
  /** Position of a live stream that is reloaded, also on its earlier timeline: a viewer behind the edge returns to it. */
  let reloaded: (LastPosition & { readonly time: number }) | null = null;
  /** Position to restore after a reload; until then the element is at 0. */
  let goal: number | null = null;
  /** Last position before a fault: an element whose decoder failed claims to be at its end. */
  let last = Math.max(0, source.startAt);
  let lastMove = { time: -1, at: now() };
  /** The element has loaded some of this stream. */
  let hasLoaded = false;
  let range = { start: 0, end: 0 };
  let opening = 0;
  let isLive = false;
  /** The stream doesn't continue from known segments: the buffer is played first. */
  let isRestarted = false;

  /** Restores the position: a library may restart at 0 after a decoder reset. */
  const settle = (): void => {
    if (goal === null || video.readyState === HTMLMediaElement.HAVE_NOTHING) return;
    if (isLive || Math.abs(video.currentTime - goal) < 1) goal = null;
    else video.currentTime = goal;
  };

  const play = (onNotAllowed: () => void): void => {
    video.play().catch((error: unknown) => {
      if (!closed && (error as { name?: unknown } | null)?.name === "NotAllowedError") onNotAllowed();
    });
  };

  /** Starts playback again: the element forgets it after each decoder reset and reload. */
  const begin = (): void => {
    hasLoaded = true;
    resetting = false;
    settle();
    video.playbackRate = rate;
    if (!shouldPlay) return;
    play(() => {
      // Without a gesture the browser blocks sound: it plays muted until the viewer turns the sound on.
      video.muted = true;
      handlers.onSilenced();
      play(() => {
        shouldPlay = false;
        handlers.onNotAllowed();
      });
    });
  };

  const dispatch = (event: RecoveryEvent): void => {
    if (closed) return;
    const dry = video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA;
    const environment = {
      now: now(),
      online: navigator.onLine,
      renewable: source.renew !== undefined,
      dry,
      drawn: draw(),
    };
    const [next, effect] = recover(recovery, event, environment);
    const changed = next !== recovery;
    recovery = next;
    clearTimeout(retry);
    if (next.at === "waiting") retry = setTimeout(() => dispatch({ kind: "due" }), next.retryAt - environment.now);
    if (changed) handlers.onRecovery(next);
    if (effect !== null) perform(effect);
  };

  const perform = (effect: Effect): void => {
    switch (effect) {
      case "resume":
        if (attached === null) open(source.startAt);
        // A reset decoder keeps its timeline; a reloaded live stream has another.
        else attached.resume(beginning() ?? (reloaded === null ? goal : null));
        break;
      case "renew":
        void renew();
        break;
      case "mend":
        resetting = true;
        goal ??= last;
        attached?.mend(goal);
        break;
      case "reload":
        reload();
        break;
      default:
        effect satisfies never;
    }
  };

  const lastPositionOf = ({ end, age }: LiveWindow, time: number): LastPosition => {
    const position = isRestarted ? null : (attached?.positionOf(time) ?? null);
    return { position, behind: end - time, at: now() - age * 1_000 };
  };

  const reload = (): void => {
    const live = attached?.live() ?? null;
    goal ??= last;
    resetting = true;
    if (live) reloaded ??= { ...lastPositionOf(live, goal), time: goal };
    isLive ||= live !== null;
    attached?.detach();
    open(isLive ? -1 : goal, true);
  };

  const renew = async (): Promise<void> => {
    clearTimeout(renewal);
    try {
      const next = await source.renew?.();
      if (closed || !next) return;
      url = next.url;
      attached?.renew(url);
      renewBefore(next.expires);
      dispatch({ kind: "renewed" });
    } catch (error) {
      // Any other error is a fault between the player and the channel.
      const refused = error instanceof PortError && isRefusal(error);
      dispatch({ kind: "notRenewed", retryable: !refused, status: refused ? (error.status ?? null) : null });
    }
  };
  const renewBefore = (end: number | null): void => {
    if (end === null || !source.renew || closed) return;
    const wait = Math.min(Math.max(end - channelNow() - RENEWED_BEFORE, RENEWED_BEFORE), MAX_TIMEOUT);
    // If it fails, the current address stays in use; another one is requested once it is refused.
    renewal = setTimeout(() => {
      void renew();
      renewBefore(end);
    }, wait);
  };

  const resumeAt = (): LastPosition | null => (following ? null : reloaded);

  /** The position to continue a reloaded live stream; null if unknown yet. */
  const beginning = (): number | null => {
    const live = attached?.live() ?? null;
    const at = resumeAt();
    if (at === null || live === null) return null;
    const time = (at.position && attached?.timeOf(at.position)) ?? live.end - behindNow(at, now());
    return Math.max(live.start + INSIDE, Math.min(live.end, time));
  };

  const onLoaded = (): void => {
    dispatch({ kind: "loaded" });
    settle();
    const time = beginning();
    reloaded = null;
    if (time === null) return;
    // On this timeline, from now on.
    last = time;
    video.currentTime = time;
  };

  const open = (startAt: number, isReload = false): void => {
    opening += 1;
    isRestarted = false;
    const mine = opening;
    attached = null;
    const isMine = () => !closed && mine === opening;
    attach(video, url, startAt > 0 ? startAt : -1, isReload, {
      onFault: (fault) => {
        if (!isMine()) return;
        handlers.onFault(fault);
        dispatch({ kind: "failed", fault });
      },
      onLoaded: () => isMine() && onLoaded(),
      onJumped: () => {
        const live = attached?.live();
        // A viewer behind the edge continues with the oldest available second.
        if (isMine() && !following && reloaded === null && live) video.currentTime = live.start + INSIDE;
      },
      dressed: (playlist) => {
        const at = isMine() ? resumeAt() : null;
        return at ? beginningAt(playlist, at, now()) : playlist;
      },
      onRestart: () => {
        if (isMine()) isRestarted = true;
      },
      onQualities: () => isMine() && handlers.onQualities(),
      onAudioTracks: (tracks) => (isMine() ? handlers.onAudioTracks(tracks) : -1),
      onQuality: (quality) => isMine() && handlers.onQuality(quality),
    }).then(
      (attachment) => {
        if (isMine()) attached = attachment;
        else attachment.detach();
      },
      // The library could not be fetched.
      () => isMine() && dispatch({ kind: "failed", fault: { cause: "unanswered" } }),
    );
  };

  const seekPosition = (): SeekPosition => {
    const { seekable, duration } = video;
    const live = attached?.live() ?? null;
    if (live) range = { start: live.start, end: live.end };
    else if (seekable.length > 0) range = { start: seekable.start(0), end: seekable.end(seekable.length - 1) };
    else if (Number.isFinite(duration)) range = { start: 0, end: duration };
    const isEmpty = hasLoaded && (video.readyState === HTMLMediaElement.HAVE_NOTHING || video.error !== null);
    const time = reloaded === null ? (isLive ? null : goal) : (beginning() ?? reloaded.time);
    return { ...range, time: time ?? (isEmpty ? last : video.currentTime) };
  };

  /** A seek on the timeline of a live stream before its reload. */
  const seekDuringReload = ({ time, position, behind, at }: NonNullable<typeof reloaded>, to: number): void => {
    const by = to - time;
    reloaded = { time: to, position: position && { ...position, into: position.into + by }, behind: behind - by, at };
    following = reloaded.behind <= EDGE;
  };

  const followLiveEdge = (): void => {
    const live = attached?.live();
    if (!live || video.paused || video.seeking || isRestarted) return;
    if (!following) {
      if (video.currentTime < live.start) video.currentTime = live.start + INSIDE;
      return;
    }
    if (rate !== 1 || recovery.at !== "clear") return;
    const move = liveMove(live.edge - video.currentTime, aheadOf(video), video.playbackRate);
    if (move === "jump") video.currentTime = live.edge;
    else if (video.playbackRate !== move.rate) video.playbackRate = move.rate;
  };

  const watchStall = (): void => {
    const time = video.currentTime;
    const isWaiting = recovery.at === "waiting" || recovery.at === "refused";
    if (time !== lastMove.time || video.paused || video.ended || isWaiting) {
      lastMove = { time, at: now() };
      return;
    }
    const stalledFor = now() - lastMove.at;
    const hasData = video.readyState >= HTMLMediaElement.HAVE_FUTURE_DATA;
    if (!hasData && attached?.isQuiet()) return dispatch({ kind: "failed", fault: { cause: "unanswered" } });
    if (stalledFor < (hasData ? STUCK_AFTER : LOST_AFTER)) return;
    lastMove = { time, at: now() };
    dispatch({ kind: "failed", fault: { cause: "decoder" } });
  };

  const tick = setInterval(() => {
    settle();
    if (goal === null && !video.error && video.readyState > HTMLMediaElement.HAVE_NOTHING) last = video.currentTime;
    if (isRestarted && aheadOf(video) < NEARLY_DRY) reload();
    followLiveEdge();
    watchStall();
  }, TICK);
  // A seek outside the controls, e.g. by a headset or the browser.
  const noteSeek = (): void => {
    if (goal === null && !resetting && !video.error && video.readyState > HTMLMediaElement.HAVE_NOTHING)
      last = video.currentTime;
  };
  // The library also resets a decoder, and restarts at 0 if that fails at once.
  const noteEmptied = (): void => {
    if (hasLoaded) goal ??= last;
  };
  const tryNow = (): void => dispatch({ kind: "due" });
  window.addEventListener("online", tryNow);
  video.addEventListener("loadedmetadata", begin);
  video.addEventListener("seeking", noteSeek);
  video.addEventListener("emptied", noteEmptied);
  renewBefore(source.expires);
  open(source.startAt);

  return {
    attachment: () => attached,
    want(playing) {
      const live = attached?.live();
      // After a pause the viewer continues at the same position.
      if (playing && !shouldPlay && live) following = live.edge - video.currentTime <= EDGE;
      shouldPlay = playing;
    },
    wants: () => shouldPlay,
    isResetting: () =>
      resetting || goal !== null || video.error !== null || ("missing" in recovery && recovery.missing === "picture"),
    seekPosition,
    seek(time) {
      const live = attached?.live();
      if (reloaded !== null && !live) return seekDuringReload(reloaded, time);
      following = live != null && live.edge - time <= EDGE;
      video.playbackRate = rate;
      if (goal !== null) goal = time;
      reloaded = null;
      last = time;
      const { ended } = video;
      video.currentTime = live && following ? Math.min(time, live.edge) : time;
      // An element that ended stays paused even after a seek: seeking back resumes playback.
      if (ended && shouldPlay) play(() => handlers.onNotAllowed());
    },
    setRate(chosen) {
      rate = chosen;
      video.playbackRate = chosen;
    },
    follows: () => following && attached?.live() != null,
    tryNow,
    close() {
      closed = true;
      clearTimeout(retry);
      clearTimeout(renewal);
      clearInterval(tick);
      window.removeEventListener("online", tryNow);
      video.removeEventListener("loadedmetadata", begin);
      video.removeEventListener("seeking", noteSeek);
      video.removeEventListener("emptied", noteEmptied);
      attached?.detach();
      attached = null;
    },
  };
}
