import type Hls from "hls.js";
import type { ErrorData, HlsConfig, Loader, LoaderContext } from "hls.js";
import type { AttachHandlers, Attachment, Quality } from "./attach";
import { isWholePlaylist, isWholeSegment } from "./bodies";
import type { PlayerSettings } from "./channelSettings";
import { type Fault, faultOf } from "./faults";
import { awaitingGaps } from "./gaps";
import { keyFramesOf } from "./pictures";
import { createPlaylistContinuity, type PlaylistContinuity } from "./playlistContinuity";
import { renewedStream } from "./renewal";

/** Timeout for the first byte, in milliseconds. */
const FIRST_BYTE_TIMEOUT_MS = 5_000;
const BODY_TIMEOUT_MS = 60_000;
/** A running live stream reloads its playlist within two segment durations, or this many seconds. */
const MAX_RELOAD_INTERVAL_S = 3;
/** After a broken body with a successful status, the browser's cache is bypassed for this long, in milliseconds. */
const CACHE_BYPASS_MS = 15_000;

/** One attempt: only `recovery.ts` decides about retries. */
const once = {
  default: {
    maxTimeToFirstByteMs: FIRST_BYTE_TIMEOUT_MS,
    maxLoadTimeMs: BODY_TIMEOUT_MS,
    timeoutRetry: null,
    errorRetry: null,
  },
};
/** A blocking playlist request (low-latency HLS) is answered later. */
const onceBlocking = { default: { ...once.default, maxTimeToFirstByteMs: 3 * FIRST_BYTE_TIMEOUT_MS } };

function isWhole({ frag }: LoaderContext & { frag?: { encrypted: boolean; type: string } }, data: unknown): boolean {
  if (typeof data === "string") return isWholePlaylist(data);
  // An encrypted segment's container can't be checked.
  return !(data instanceof ArrayBuffer) || frag?.encrypted === true || isWholeSegment(data);
}

/** Identifies a playlist independently of its address. The type alone isn't enough. */
const nameOf = (of: LoaderContext & { level?: unknown; id?: unknown; groupId?: unknown }): string =>
  `${of.type} ${of.level} ${of.id} ${of.groupId}`;

/** Requests in progress. */
interface PendingRequests {
  readonly requests: Set<unknown>;
  /** The end of the last one, by `performance.now()`. */
  endedAt: number;
}

interface Checks {
  readonly pending: PendingRequests;
  /** Handles a complete response. */
  take(taking: () => void): void;
  onBroken(): void;
  readonly continuity: PlaylistContinuity;
  onRestart(): void;
  dressed(playlist: string): string;
}

/** hls.js's loader, which also fails incomplete responses and playlists that don't continue the previous ones. */
function checkingLoader(
  Library: typeof Hls,
  { pending, take, onBroken, continuity, onRestart, dressed }: Checks,
): HlsConfig["loader"] {
  const LoaderInternals = Library.DefaultConfig.loader as new (config: HlsConfig) => Loader<LoaderContext>;
  return class extends LoaderInternals {
    private end(): void {
      if (pending.requests.delete(this)) pending.endedAt = performance.now();
    }

    override abort(): void {
      this.end();
      super.abort();
    }

    override destroy(): void {
      this.end();
      super.destroy();
    }

    override load(...[context, config, callbacks]: Parameters<Loader<LoaderContext>["load"]>): void {
      pending.requests.add(this);
      super.load(context, config, {
        ...callbacks,
        onError: (...of) => {
          this.end();
          callbacks.onError(...of);
        },
        onTimeout: (...of) => {
          this.end();
          callbacks.onTimeout(...of);
        },
        onSuccess: (response, stats, of, details) => {
          this.end();
          const { code = 0, data } = response;
          if (!isWhole(of, data)) {
            onBroken();
            return callbacks.onError({ code, text: "not whole" }, of, details, stats);
          }
          // A truncated playlist also ends early, which isn't a sign of a restart.
          if (typeof data === "string" && !continuity.continues(of.type, nameOf(of), data)) return onRestart();
          const cleaned = typeof data === "string" ? { ...response, data: dressed(data) } : response;
          take(() => callbacks.onSuccess(cleaned, stats, of, details));
        },
      });
    }
  };
}

function reasonOf(Library: typeof Hls, { type, details, response }: ErrorData): Fault {
  if (type === Library.ErrorTypes.NETWORK_ERROR) {
    const parsed =
      details === Library.ErrorDetails.MANIFEST_PARSING_ERROR || details === Library.ErrorDetails.LEVEL_PARSING_ERROR;
    return parsed ? { cause: "body" } : faultOf(response?.code ?? 0);
  }
  return { cause: "decoder" };
}

/**
 * After a playlist error that hls.js resolves by switching quality, it may load the same quality: its choice weighs
 * outdated errors. It then never requests that playlist again, and a live stream stops there (1.7.4).
 */
function isNeverRetried(hls: Hls, { fatal, type, frag, context, level }: ErrorData): boolean {
  if (fatal || type !== "networkError" || frag) return false;
  return (level ?? context?.level) === hls.loadLevel && (context?.type ?? "level") === "level";
}

/** hls.js on a video element. All of its configuration and error handling is here. */
export function attachHls(
  Library: typeof Hls,
  video: HTMLVideoElement,
  first: string,
  startAt: number,
  isReload: boolean,
  handlers: AttachHandlers,
  { low_latency, start_level }: PlayerSettings = {},
): Attachment {
  const stream = renewedStream(first);
  // If a live window moved past the position, the library seeks while it processes the playlist.
  const take = (taking: () => void) => {
    const from = video.currentTime;
    taking();
    if (video.currentTime !== from && from > 0) handlers.onJumped(from);
  };
  let distrustedUntil = isReload ? performance.now() + CACHE_BYPASS_MS : 0;
  const bypassCache = () => {
    distrustedUntil = performance.now() + CACHE_BYPASS_MS;
  };
  const onRestart = () => {
    // Pending requests may now return a different file under the same name.
    hls.stopLoad();
    handlers.onRestart();
  };
  const pending: PendingRequests = { requests: new Set(), endedAt: performance.now() };
  const hls: Hls = new Library({
    startPosition: startAt > 0 ? startAt : -1,
    capLevelToPlayerSize: true,
    backBufferLength: 60,
    liveDurationInfinity: true,
    gapController: awaitingGaps(Library),
    ...(low_latency === undefined ? {} : { lowLatencyMode: low_latency }),
    // In hls.js, -1 measures the bandwidth first, which delays the first frame. Without a level it chooses one.
    ...(start_level === undefined || start_level < 0 ? {} : { startLevel: start_level }),
    loader: checkingLoader(Library, {
      pending,
      take,
      onBroken: bypassCache,
      continuity: createPlaylistContinuity(() => performance.now()),
      onRestart,
      dressed: handlers.dressed,
    }),
    manifestLoadPolicy: once,
    playlistLoadPolicy: onceBlocking,
    fragLoadPolicy: once,
    keyLoadPolicy: once,
    // A quality that failed in an outage is as good as the others soon after.
    errorPenaltyExpireMs: 5_000,
    xhrSetup(request, address) {
      const now = stream.current(address);
      const distrusted = performance.now() < distrustedUntil;
      if (now !== address || distrusted) request.open("GET", now, true);
      // Another origin would need a preflight request for this header.
      if (distrusted && new URL(now, location.href).origin === location.origin)
        request.setRequestHeader("Cache-Control", "no-cache");
    },
  });
  const quality = (index: number): Quality => {
    const { height = 0, bitrate = 0 } = hls.levels[index] ?? {};
    return { index, height, bitrate };
  };
  hls.on(Library.Events.MANIFEST_PARSED, () => handlers.onQualities());
  hls.on(Library.Events.LEVEL_SWITCHED, (_, { level }) => handlers.onQuality(quality(level)));
  // Before the library loads the stream's default track. Each quality may have tracks of its own.
  hls.on(Library.Events.AUDIO_TRACKS_UPDATED, (_, { audioTracks }) => {
    const index = handlers.onAudioTracks(
      audioTracks.map(({ name, lang = "", characteristics = "", default: isDefault }) => ({
        name,
        language: lang,
        isDescribed: characteristics.includes("describes-video"),
        isDefault,
      })),
    );
    if (index >= 0 && index !== hls.audioTrack) hls.audioTrack = index;
  });
  hls.on(Library.Events.FRAG_BUFFERED, () => handlers.onLoaded());
  hls.on(Library.Events.ERROR, (_, data) => {
    const unasked = isNeverRetried(hls, data);
    if (unasked) hls.stopLoad();
    if (unasked || data.fatal) handlers.onFault(reasonOf(Library, data));
  });
  // The player renders captions itself.
  hls.subtitleDisplay = false;
  hls.loadSource(stream.entry());
  hls.attachMedia(video);
  return {
    qualities: () => hls.levels.map((_, index) => quality(index)),
    chooseQuality(index) {
      hls.nextLevel = index;
    },
    chooseAudio(index) {
      hls.audioTrack = index;
    },
    live() {
      const details = hls.latestLevelDetails;
      if (!details?.live) return null;
      // Between playlists the live edge advances by the playlist's age.
      const newest = details.edge + Math.min(Math.max(0, details.age), 2 * details.targetduration);
      const edge = Math.min(details.edge, newest - (hls.targetLatency ?? 0));
      const { fragmentStart: start, startSN: segment, edge: end } = details;
      return { start, segment, edge, end, age: Math.max(0, details.age) };
    },
    positionOf(time) {
      const fragments = hls.latestLevelDetails?.fragments ?? [];
      const fragment = fragments.findLast(({ start }) => start <= time) ?? fragments[0];
      return fragment ? { segment: fragment.sn, into: time - fragment.start } : null;
    },
    timeOf({ segment, into }) {
      const fragments = hls.latestLevelDetails?.fragments ?? [];
      const fragment = fragments.find(({ sn }) => sn >= segment) ?? fragments.at(-1);
      return fragment ? fragment.start + (fragment.sn === segment ? into : 0) : null;
    },
    isQuiet() {
      const pause = 1_000 * Math.max(MAX_RELOAD_INTERVAL_S, 2 * (hls.latestLevelDetails?.targetduration ?? 0));
      return pending.requests.size === 0 && performance.now() - pending.endedAt > pause;
    },
    resume(begins) {
      // A master playlist that never loaded is requested from the start.
      if (hls.levels.length === 0) hls.loadSource(stream.entry());
      // hls.js continues from the position at its last load; the position may have moved into an empty range since.
      const hasData = video.readyState > HTMLMediaElement.HAVE_NOTHING;
      const resumesHere = hasData && (video.currentTime > 0 || hls.latestLevelDetails?.live === false);
      hls.startLoad(resumesHere ? video.currentTime : (begins ?? -1));
    },
    mend(time) {
      bypassCache();
      hls.recoverMediaError();
      hls.startLoad(time);
    },
    renew: (next) => stream.renew(next),
    pictures: (element) => keyFramesOf(Library, hls, element),
    detach: () => hls.destroy(),
  };
}
