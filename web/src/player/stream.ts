import { isRefusal, PortError } from "../ports/error";
import type { MediaAddress } from "../ports/media";
import { type AttachHandlers, type Attachment, attach, type LiveWindow } from "./attach";
import { beginningAt, behindNow, INSIDE, type Stood } from "./beginning";
import type { Fault } from "./faults";
import { aheadOf, liveMove } from "./liveSpeed";
import { CLEAR, type Effect, type Recovery, type RecoveryEvent, recover } from "./recovery";

export interface StreamSource {
  readonly url: string;
  /** Where to begin, seconds; 0 for the start, or a live stream's edge. */
  readonly startAt: number;
  /** Until when `url` works, milliseconds since 1970; null where it does not end. */
  readonly expires: number | null;
  /** Gets another address of the same stream. Absent where there is none to get. */
  readonly renew: (() => Promise<MediaAddress>) | undefined;
}

export interface StreamHandlers extends Pick<AttachHandlers, "onQualities" | "onQuality"> {
  onRecovery(recovery: Recovery): void;
  onFault(fault: Fault): void;
  /** The browser lets no sound out before the viewer presses: it plays without. */
  onSilenced(): void;
  /** The browser lets nothing play before the viewer presses. */
  onNotAllowed(): void;
}

/** A stream that plays on over whatever happens to it. */
export interface Stream {
  attachment(): Attachment | null;
  /** The viewer wants it to play; false: they paused it. */
  want(playing: boolean): void;
  wants(): boolean;
  /** Whether a `pause` of the element was none of the viewer's: the decoder is being reset. */
  isResetting(): boolean;
  /** Seeks; at a live edge it stays there from now on. */
  seek(time: number): void;
  /** The viewer's choice of speed, which a live stream that catches up changes for a while. */
  setRate(rate: number): void;
  /** Stays at the live edge. */
  follows(): boolean;
  /** Does not wait any longer before it tries again. */
  tryNow(): void;
  close(): void;
}

/** How long before its end an address is replaced, milliseconds. */
const RENEWED_BEFORE = 10 * 60_000;
/** A browser's timer fires at once when it is set to longer, milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1;
const TICK = 250;
/** A picture that has what it needs and stands for this long is stuck, milliseconds. */
const STUCK_AFTER = 6_000;
/** Nothing is loaded, and nothing has failed, for this long: the library has lost its thread, milliseconds. */
const LOST_AFTER = 70_000;
/** Less than this ahead is played before anything else comes, seconds. */
const NEARLY_DRY = 0.3;
/** As near to the live edge as this is at it, seconds. */
export const EDGE = 5;

/** Plays `source` on `video`. `now` is Unix milliseconds, `draw` a number of [0, 1). */
export function openStream(
  video: HTMLVideoElement,
  source: StreamSource,
  handlers: StreamHandlers,
  { now, draw }: { readonly now: () => number; readonly draw: () => number },
): Stream {
  let closed = false;
  let url = source.url;
  let attached: Attachment | null = null;
  let recovery: Recovery = CLEAR;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let renewal: ReturnType<typeof setTimeout> | undefined;
  let wanted = true;
  let following = source.startAt <= 0;
  let rate = 1;
  let resetting = false;
  /** Where it is to stand in a live stream that is loaded anew, until it does: the element is elsewhere meanwhile. */
  let stood: Stood | null = null;
  /** Where it is to stand once what was loaded anew is there; until then the element is at 0. */
  let goal: number | null = null;
  /** Where it stood last while all was well: an element whose decoder failed says that it is at its end. */
  let last = Math.max(0, source.startAt);
  let moved = { time: -1, at: now() };
  /** The element has had something of this stream. */
  let begun = false;
  let opening = 0;
  let isLive = false;
  /** The stream does not go on from what is known: what is loaded is played first. */
  let begunAnew = false;

  /** Brings the element back to where it stood: a library that reset its decoder may begin anew at 0. */
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

  /** The element forgets that it played when its decoder is reset, and each time that it is loaded anew. */
  const begin = (): void => {
    begun = true;
    resetting = false;
    settle();
    video.playbackRate = rate;
    if (!wanted) return;
    play(() => {
      // Without a gesture the browser lets no sound out: the picture comes, and the viewer presses for the sound.
      video.muted = true;
      handlers.onSilenced();
      play(() => {
        wanted = false;
        handlers.onNotAllowed();
      });
    });
  };

  const tell = (event: RecoveryEvent): void => {
    if (closed) return;
    const dry = video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA;
    const around = { now: now(), online: navigator.onLine, renewable: source.renew !== undefined, dry, drawn: draw() };
    const [next, effect] = recover(recovery, event, around);
    const changed = next !== recovery;
    recovery = next;
    clearTimeout(retry);
    if (next.at === "waiting") retry = setTimeout(() => tell({ kind: "due" }), next.retryAt - around.now);
    if (changed) handlers.onRecovery(next);
    if (effect !== null) perform(effect);
  };

  const perform = (effect: Effect): void => {
    switch (effect) {
      case "resume":
        if (attached === null) open(source.startAt);
        else attached.resume(beginning());
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

  const standOf = ({ end, age }: LiveWindow, time: number): Stood => {
    const place = begunAnew ? null : (attached?.placeOf(time) ?? null);
    return { place, behind: end - time, at: now() - age * 1_000 };
  };

  const reload = (): void => {
    const live = attached?.live() ?? null;
    goal ??= last;
    resetting = true;
    if (live && !following) stood ??= standOf(live, goal);
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
      tell({ kind: "renewed" });
    } catch (error) {
      // Whatever is no answer of the channel itself is a fault on the way to it.
      const refused = error instanceof PortError && isRefusal(error);
      tell({ kind: "notRenewed", retryable: !refused, status: refused ? (error.status ?? null) : null });
    }
  };
  const renewBefore = (end: number | null): void => {
    if (end === null || !source.renew || closed) return;
    const wait = Math.min(Math.max(end - now() - RENEWED_BEFORE, RENEWED_BEFORE), LONGEST_TIMER);
    // Where it fails, the address that is there plays on; once that is refused, another is asked for again.
    renewal = setTimeout(() => {
      void renew();
      renewBefore(end);
    }, wait);
  };

  /** Where a live stream that is loaded anew goes on; null where nothing tells yet. */
  const beginning = (): number | null => {
    const live = attached?.live() ?? null;
    if (stood === null || live === null) return null;
    const time = (stood.place && attached?.timeOf(stood.place)) ?? live.end - behindNow(stood, now());
    return Math.max(live.start + INSIDE, Math.min(live.end, time));
  };

  const onLoaded = (): void => {
    tell({ kind: "loaded" });
    settle();
    const time = beginning();
    if (time === null) return;
    stood = null;
    // On this timeline, from now on.
    last = time;
    video.currentTime = time;
  };

  const open = (startAt: number, anew = false): void => {
    opening += 1;
    begunAnew = false;
    const mine = opening;
    attached = null;
    const isMine = () => !closed && mine === opening;
    attach(video, url, startAt > 0 ? startAt : -1, anew, {
      onFault: (fault) => {
        if (!isMine()) return;
        handlers.onFault(fault);
        tell({ kind: "failed", fault });
      },
      onLoaded: () => isMine() && onLoaded(),
      onJumped: () => {
        const live = attached?.live();
        // Who watched from behind goes on with the oldest that there is.
        if (isMine() && !following && stood === null && live) video.currentTime = live.start + INSIDE;
      },
      dressed: (playlist) => (isMine() && stood ? beginningAt(playlist, stood, now()) : playlist),
      onBegunAnew: () => {
        if (isMine()) begunAnew = true;
      },
      onQualities: () => isMine() && handlers.onQualities(),
      onQuality: (quality) => isMine() && handlers.onQuality(quality),
    }).then(
      (attachment) => {
        if (isMine()) attached = attachment;
        else attachment.detach();
      },
      // The library could not be fetched.
      () => isMine() && tell({ kind: "failed", fault: { cause: "unanswered" } }),
    );
  };

  const keepLive = (): void => {
    const live = attached?.live();
    if (!live || video.paused || video.seeking || begunAnew) return;
    if (!following) {
      if (video.currentTime < live.start) video.currentTime = live.start + INSIDE;
      return;
    }
    if (rate !== 1 || recovery.at !== "clear") return;
    const move = liveMove(live.edge - video.currentTime, aheadOf(video), video.playbackRate);
    if (move === "jump") video.currentTime = live.edge;
    else if (video.playbackRate !== move.rate) video.playbackRate = move.rate;
  };

  const watchStanding = (): void => {
    const time = video.currentTime;
    const awaits = recovery.at === "waiting" || recovery.at === "refused";
    if (time !== moved.time || video.paused || video.ended || awaits) {
      moved = { time, at: now() };
      return;
    }
    const stands = now() - moved.at;
    const has = video.readyState >= HTMLMediaElement.HAVE_FUTURE_DATA;
    if (!has && attached?.isQuiet()) return tell({ kind: "failed", fault: { cause: "unanswered" } });
    if (stands < (has ? STUCK_AFTER : LOST_AFTER)) return;
    moved = { time, at: now() };
    tell({ kind: "failed", fault: { cause: "decoder" } });
  };

  const tick = setInterval(() => {
    settle();
    if (goal === null && !video.error && video.readyState > HTMLMediaElement.HAVE_NOTHING) last = video.currentTime;
    if (begunAnew && aheadOf(video) < NEARLY_DRY) reload();
    keepLive();
    watchStanding();
  }, TICK);
  // A seek that the controls do not know of: a headset's, the browser's own.
  const noteSeek = (): void => {
    if (goal === null && !resetting && !video.error && video.readyState > HTMLMediaElement.HAVE_NOTHING)
      last = video.currentTime;
  };
  // The library resets a decoder by itself as well, and begins anew at 0 where that fails at once.
  const noteEmptied = (): void => {
    if (begun) goal ??= last;
  };
  const tryNow = (): void => tell({ kind: "due" });
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
      // Who comes back from a pause goes on where they were.
      if (playing && !wanted && live) following = live.edge - video.currentTime <= EDGE;
      wanted = playing;
    },
    wants: () => wanted,
    isResetting: () =>
      resetting || goal !== null || video.error !== null || ("missing" in recovery && recovery.missing === "picture"),
    seek(time) {
      const live = attached?.live();
      following = live != null && live.edge - time <= EDGE;
      video.playbackRate = rate;
      if (goal !== null) goal = time;
      stood = null;
      last = time;
      const { ended } = video;
      video.currentTime = live && following ? Math.min(time, live.edge) : time;
      // An element that came to its end is paused, and stays so wherever it is moved: who goes back from there watches on.
      if (ended && wanted) play(() => handlers.onNotAllowed());
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
