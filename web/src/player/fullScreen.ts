import type { WebKitVideo } from "./webkitVideo";

/** Safari's names before version 16.4. */
interface WebKitDocument extends Document {
  readonly webkitFullscreenEnabled?: boolean;
  readonly webkitFullscreenElement?: Element | null;
  webkitExitFullscreen?(): void;
}
interface WebKitElement extends HTMLElement {
  webkitRequestFullscreen?(): void;
}

/** The full-screen object: the player's element, or the video with the device's own controls. */
export type FullScreenMode = "element" | "video";

/** A device that never reports a change isn't waited for longer, in milliseconds. */
const REPORT_TIMEOUT = 1_000;

/** Calls `act` and waits for the `done` event; `refused` rejects. */
function reported(target: EventTarget, act: () => void, done: string, refused?: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const listeners = new AbortController();
    const finish = (settle: () => void) => {
      listeners.abort();
      clearTimeout(timer);
      settle();
    };
    const timer = setTimeout(() => finish(resolve), REPORT_TIMEOUT);
    const { signal } = listeners;
    target.addEventListener(done, () => finish(resolve), { signal });
    if (refused) target.addEventListener(refused, () => finish(() => reject(new Error(refused))), { signal });
    try {
      act();
    } catch (error) {
      finish(() => reject(error));
    }
  });
}

const elementOf = (page: WebKitDocument): Element | null =>
  page.fullscreenElement ?? page.webkitFullscreenElement ?? null;

/** The current full screen of this player; null for another element's, too. */
export function modeOf(frame: HTMLElement, video: WebKitVideo): FullScreenMode | null {
  if (elementOf(document) === frame) return "element";
  return video.webkitDisplayingFullscreen ? "video" : null;
}

/** Requests full screen for the player's element; null if the browser doesn't offer it here. */
export function elementRequest(frame: WebKitElement): (() => Promise<void>) | null {
  const page: WebKitDocument = document;
  if (page.fullscreenEnabled && frame.requestFullscreen) return () => frame.requestFullscreen();
  if (page.webkitFullscreenEnabled && frame.webkitRequestFullscreen)
    return () =>
      reported(page, () => frame.webkitRequestFullscreen?.(), "webkitfullscreenchange", "webkitfullscreenerror");
  return null;
}

/** Requests the video's own full screen; null if the device doesn't offer it now. */
export function videoRequest(video: WebKitVideo): (() => Promise<void>) | null {
  if (!video.webkitSupportsFullscreen || !video.webkitEnterFullscreen) return null;
  return () => reported(video, () => video.webkitEnterFullscreen?.(), "webkitbeginfullscreen");
}

/** Ends any full screen, and resolves once it has ended; null if there is none. */
export function leaveFullScreen(video: WebKitVideo): Promise<void> | null {
  const page: WebKitDocument = document;
  if (page.fullscreenElement) return page.exitFullscreen();
  if (page.webkitFullscreenElement && page.webkitExitFullscreen)
    return reported(page, () => page.webkitExitFullscreen?.(), "webkitfullscreenchange");
  if (video.webkitDisplayingFullscreen && video.webkitExitFullscreen)
    return reported(video, () => video.webkitExitFullscreen?.(), "webkitendfullscreen");
  return null;
}

/** Calls `update` after each event that can change the results of the functions above. */
export function watchFullScreen(video: HTMLVideoElement, update: () => void): () => void {
  const listeners = new AbortController();
  for (const type of ["fullscreenchange", "webkitfullscreenchange"])
    document.addEventListener(type, update, { signal: listeners.signal });
  for (const type of [
    "webkitbeginfullscreen",
    "webkitendfullscreen",
    "webkitpresentationmodechanged",
    "loadedmetadata",
  ])
    video.addEventListener(type, update, { signal: listeners.signal });
  return () => listeners.abort();
}
