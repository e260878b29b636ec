import type { AttachHandlers, Attachment } from "./attach";
import type { WebKitVideo } from "./webkitVideo";

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
  const { audioTracks } = video as WebKitVideo;
  const chooseAudio = (index: number) => {
    Array.from(audioTracks ?? []).forEach((track, at) => {
      if (track.enabled !== (at === index)) track.enabled = at === index;
    });
  };
  const readAudio = () => {
    const all = Array.from(audioTracks ?? []);
    const index = handlers.onAudioTracks(
      all.map(({ label, language, kind }) => ({
        name: label,
        language,
        isDescribed: kind === "descriptions" || kind === "main-desc",
        isDefault: kind === "main",
      })),
    );
    if (all.length > 1 && index >= 0) chooseAudio(index);
  };
  const load = () => {
    if (resumeAt === null && video.currentTime > 0) resumeAt = video.currentTime;
    video.src = url;
    video.load();
  };
  video.addEventListener("error", fail);
  video.addEventListener("loadedmetadata", goBack);
  for (const type of ["addtrack", "removetrack"]) audioTracks?.addEventListener(type, readAudio);
  video.src = url;
  return {
    qualities: () => [],
    chooseQuality: () => undefined,
    chooseAudio,
    live: () => null,
    positionOf: () => null,
    timeOf: () => null,
    // The browser loads the stream and doesn't report progress.
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
      for (const type of ["addtrack", "removetrack"]) audioTracks?.removeEventListener(type, readAudio);
      video.removeAttribute("src");
      video.load();
    },
  };
}
