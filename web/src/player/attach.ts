import type Hls from "hls.js";
import { renewedStream } from "./renewal";

/** One quality of a stream. */
export interface Quality {
  readonly index: number;
  /** Lines: 360, 720. */
  readonly height: number;
}

/** A stream on a video element. */
export interface Attachment {
  /** The qualities to choose from; empty where the browser chooses alone. */
  qualities(): readonly Quality[];
  /** -1 lets the player choose. */
  chooseQuality(index: number): void;
  /** Tries again after a failure, from where it stood. */
  retry(): void;
  /** What is asked for from now on is asked for under this address, of the same stream; goes on where it stopped. */
  renew(url: string): void;
  detach(): void;
}

interface AttachHandlers {
  /** The stream cannot be played any more; `retryable` when asking again may help (the network, an expired address). */
  onFailed(reason: { retryable: boolean; status: number | null }): void;
  onQualities(): void;
}

const HLS_TYPE = "application/vnd.apple.mpegurl";
/** Faults that the library can mend are left to it this many times, so that a broken stream does not try for ever. */
const MENDS = 3;

function isPlaylist(url: string): boolean {
  return /\.m3u8(?:$|[?#])/.test(url);
}

/** Plays a plain file, or HLS where the browser knows it and hls.js does not run. */
function attachNative(video: HTMLVideoElement, first: string, handlers: AttachHandlers): Attachment {
  const failed = () => {
    if (video.error) handlers.onFailed({ retryable: video.error.code === MediaError.MEDIA_ERR_NETWORK, status: null });
  };
  video.addEventListener("error", failed);
  video.src = first;
  /** Where it stood when it was last tried again, until it is there. */
  let stood: number | null = null;
  const goBack = () => {
    if (stood !== null) video.currentTime = stood;
    stood = null;
  };
  video.addEventListener("loadedmetadata", goBack);
  return {
    qualities: () => [],
    chooseQuality: () => undefined,
    retry() {
      stood ??= video.currentTime;
      video.load();
    },
    renew(url) {
      // The browser's own player keeps to the address that it was given: it is put on another when that one fails.
      if (video.error === null) return;
      stood ??= video.currentTime;
      video.src = url;
    },
    detach() {
      video.removeEventListener("error", failed);
      video.removeEventListener("loadedmetadata", goBack);
      video.removeAttribute("src");
      video.load();
    },
  };
}

function attachHls(Library: typeof Hls, video: HTMLVideoElement, first: string, handlers: AttachHandlers): Attachment {
  const stream = renewedStream(first);
  const hls = new Library({
    capLevelToPlayerSize: true,
    backBufferLength: 60,
    xhrSetup(request, address) {
      const now = stream.current(address);
      if (now !== address) request.open("GET", now, true);
    },
  });
  let mends = 0;
  let stopped = false;
  hls.on(Library.Events.MANIFEST_PARSED, handlers.onQualities);
  hls.on(Library.Events.ERROR, (_, fault) => {
    if (!fault.fatal) return;
    if (fault.type === Library.ErrorTypes.MEDIA_ERROR && mends < MENDS) {
      mends += 1;
      hls.recoverMediaError();
      return;
    }
    stopped = true;
    handlers.onFailed({
      retryable: fault.type === Library.ErrorTypes.NETWORK_ERROR,
      status: fault.response?.code ?? null,
    });
  });
  hls.loadSource(stream.entry());
  hls.attachMedia(video);
  return {
    qualities: () => hls.levels.map(({ height }, index) => ({ index, height })),
    chooseQuality(index) {
      hls.nextLevel = index;
    },
    retry() {
      stopped = false;
      mends = 0;
      // A playlist that is loaded anew begins anew.
      if (hls.levels.length === 0) hls.loadSource(stream.entry());
      hls.startLoad();
    },
    renew(next) {
      stream.renew(next);
      // While it plays, the next part is asked for under the new address, and that is all.
      if (!stopped) return;
      stopped = false;
      mends = 0;
      if (hls.levels.length === 0) hls.loadSource(stream.entry());
      else hls.startLoad();
    },
    detach: () => hls.destroy(),
  };
}

/**
 * Puts a stream on a video element. hls.js is fetched when the first playlist is played, and is asked before the
 * browser: Chromium says that it may play HLS, and hls.js plays it better.
 */
export async function attach(video: HTMLVideoElement, url: string, handlers: AttachHandlers): Promise<Attachment> {
  if (!isPlaylist(url)) return attachNative(video, url, handlers);
  const { default: Library } = await import("hls.js");
  if (Library.isSupported()) return attachHls(Library, video, url, handlers);
  if (video.canPlayType(HLS_TYPE) !== "") return attachNative(video, url, handlers);
  throw new Error("this browser plays no HLS");
}
