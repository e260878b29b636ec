import { type RefObject, useEffect, useState } from "react";
import type { WebKitVideo } from "./webkitVideo";

export interface PictureInPicture {
  readonly on: boolean;
  readonly toggle: () => void;
}

const MODE = "picture-in-picture";
const EVENTS = [
  "enterpictureinpicture",
  "leavepictureinpicture",
  "webkitpresentationmodechanged",
  "loadedmetadata",
] as const;

const isStandard = (video: HTMLVideoElement): boolean =>
  document.pictureInPictureEnabled && typeof video.requestPictureInPicture === "function";
const isPrefixed = (video: WebKitVideo): boolean =>
  typeof video.webkitSetPresentationMode === "function" && video.webkitSupportsPresentationMode?.(MODE) === true;
const isOn = (video: WebKitVideo): boolean =>
  document.pictureInPictureElement === video || video.webkitPresentationMode === MODE;

async function toggle(video: WebKitVideo): Promise<void> {
  const present = (mode: string) => video.webkitSetPresentationMode?.(mode);
  if (document.pictureInPictureElement === video) await document.exitPictureInPicture();
  else if (isOn(video)) present("inline");
  else {
    const isRefused = !isStandard(video) || (await video.requestPictureInPicture().catch(() => null)) === null;
    if (isRefused && isPrefixed(video)) present(MODE);
  }
}

/** Picture in picture by the standard or WebKit's API; undefined if the browser has neither (MEDIA-16). */
export function usePictureInPicture(ref: RefObject<HTMLVideoElement | null>): PictureInPicture | undefined {
  const [offered, setOffered] = useState(false);
  const [on, setOn] = useState(false);
  useEffect(() => {
    const video = ref.current;
    if (!video) return;
    const update = () => {
      setOffered(isStandard(video) || isPrefixed(video));
      setOn(isOn(video));
    };
    update();
    for (const type of EVENTS) video.addEventListener(type, update);
    return () => {
      for (const type of EVENTS) video.removeEventListener(type, update);
    };
  }, [ref]);
  if (!offered) return undefined;
  return { on, toggle: () => ref.current && void toggle(ref.current).catch(() => undefined) };
}
