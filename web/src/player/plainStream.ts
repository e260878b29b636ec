import type { AttachHandlers, Attachment } from "./attach";

/** Plays a plain file, or HLS where only the browser supports it. */
export function attachFile(
  video: HTMLVideoElement,
  first: string,
  startAt: number,
  handlers: AttachHandlers,
): Attachment {
  let url = first;
  /** The position to seek to once loaded. */
  let resumeAt: number | null = startAt > 0 ? startAt : null;
  const fail = () => {
    const { error } = video;
    if (!error) return;
    // The browser doesn't reveal the response: an expired address looks like a broken file.
    if (error.code === MediaError.MEDIA_ERR_DECODE) handlers.onFault({ cause: "decoder" });
    else
      handlers.onFault(
        error.code === MediaError.MEDIA_ERR_NETWORK ? { cause: "unanswered" } : { cause: "address", status: 403 },
      );
  };
  const goBack = () => {
    if (resumeAt !== null) video.currentTime = resumeAt;
    resumeAt = null;
    handlers.onLoaded();
  };
  const load = () => {
    if (resumeAt === null && video.currentTime > 0) resumeAt = video.currentTime;
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
    positionOf: () => null,
    timeOf: () => null,
    // The browser loads by itself and doesn't report it.
    isQuiet: () => false,
    resume: load,
    mend(time) {
      resumeAt = time;
      load();
    },
    renew(next) {
      // The browser's player keeps its address; the new one is used when that fails.
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
