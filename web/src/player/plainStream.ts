import type { AttachHandlers, Attachment } from "./attach";

/** Plays a plain file, or HLS where the browser knows it and hls.js does not run. */
export function attachFile(
  video: HTMLVideoElement,
  first: string,
  startAt: number,
  handlers: AttachHandlers,
): Attachment {
  let url = first;
  /** Where it is to stand once it is loaded. */
  let stood: number | null = startAt > 0 ? startAt : null;
  const fail = () => {
    const { error } = video;
    if (!error) return;
    // The browser does not say what it was answered: an address that has ended looks like a broken file.
    if (error.code === MediaError.MEDIA_ERR_DECODE) handlers.onFault({ cause: "decoder" });
    else
      handlers.onFault(
        error.code === MediaError.MEDIA_ERR_NETWORK ? { cause: "unanswered" } : { cause: "address", status: 403 },
      );
  };
  const goBack = () => {
    if (stood !== null) video.currentTime = stood;
    stood = null;
    handlers.onLoaded();
  };
  const load = () => {
    if (stood === null && video.currentTime > 0) stood = video.currentTime;
    video.src = url;
    video.load();
  };
  video.addEventListener("error", fail);
  video.addEventListener("loadedmetadata", goBack);
  video.src = url;
  return {
    qualities: () => [],
    chooseQuality: () => undefined,
    live: () => null,
    placeOf: () => null,
    timeOf: () => null,
    // The browser asks by itself, and does not say when.
    isQuiet: () => false,
    resume: load,
    mend(time) {
      stood = time;
      load();
    },
    renew(next) {
      // The browser's own player keeps to the address that it was given: it is put on another when that one fails.
      url = next;
    },
    pictures: () => null,
    detach() {
      video.removeEventListener("error", fail);
      video.removeEventListener("loadedmetadata", goBack);
      video.removeAttribute("src");
      video.load();
    },
  };
}
