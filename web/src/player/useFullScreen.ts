import { type RefObject, useEffect, useRef, useState } from "react";
import {
  elementRequest,
  type FullScreenMode,
  leaveFullScreen,
  modeOf,
  videoRequest,
  watchFullScreen,
} from "./fullScreen";

export interface FullScreen {
  /** `window`: the player fills the window, because the device offers nothing more. */
  readonly mode: FullScreenMode | "window" | null;
  /** Undefined if full screen isn't available. */
  readonly toggle: (() => void) | undefined;
  /** Resolves once full screen has ended; null if there is none. */
  leave(): Promise<void> | null;
}

const UPRIGHT_PHONE = "(pointer: coarse) and (orientation: portrait) and (max-width: 599px)";

/** Turns a phone for a wide picture; false where the device can't, and the viewer turns it. */
async function turnPhone(): Promise<boolean> {
  const orientation: Partial<ScreenOrientation> | undefined = screen.orientation;
  if (!orientation?.lock) return false;
  return orientation.lock("landscape").then(
    () => true,
    () => false,
  );
}

/**
 * Full screen by whatever the device has (MEDIA-16). A spot doesn't use the video's own full screen, whose controls
 * would seek past it.
 */
export function useFullScreen(
  frame: RefObject<HTMLElement | null>,
  ref: RefObject<HTMLVideoElement | null>,
  spot: boolean,
  playing: boolean,
): FullScreen {
  const [device, setDevice] = useState<FullScreenMode | null>(null);
  const [offered, setOffered] = useState(false);
  const [fills, setFills] = useState(false);
  const isTurned = useRef(false);

  useEffect(() => {
    const [player, video] = [frame.current, ref.current];
    if (!player || !video) return;
    const update = () => {
      const mode = modeOf(player, video);
      setDevice(mode);
      if (mode !== null) setFills(false);
      else if (isTurned.current) {
        isTurned.current = false;
        screen.orientation.unlock();
      }
      setOffered(elementRequest(player) !== null || (!spot && videoRequest(video) !== null));
    };
    update();
    return watchFullScreen(video, update);
  }, [frame, ref, spot]);

  useEffect(() => {
    if (!fills) return;
    const listeners = new AbortController();
    const { signal } = listeners;
    const leave = () => setFills(false);
    document.addEventListener("keydown", ({ key }) => key === "Escape" && leave(), { signal });
    // The rest of the page is covered.
    document.addEventListener(
      "focusin",
      ({ target }) => target instanceof Node && !frame.current?.contains(target) && leave(),
      { signal },
    );
    return () => listeners.abort();
  }, [fills, frame]);

  // Rotating a phone to landscape enters full screen.
  useEffect(() => {
    const [player, video] = [frame.current, ref.current];
    if (!playing || !player || !video || !matchMedia("(pointer: coarse)").matches) return;
    const sideways = matchMedia("(orientation: landscape)");
    const turn = () => {
      const mode = modeOf(player, video);
      if (sideways.matches && mode === null) elementRequest(player)?.().catch(() => undefined);
      if (!sideways.matches && mode === "element") leaveFullScreen(video)?.catch(() => undefined);
    };
    sideways.addEventListener("change", turn);
    return () => sideways.removeEventListener("change", turn);
  }, [playing, frame, ref]);

  const leave = () => {
    setFills(false);
    return (ref.current && leaveFullScreen(ref.current)?.catch(() => undefined)) ?? null;
  };
  const isFramed = window.parent !== window;
  const enter = async (player: HTMLElement, video: HTMLVideoElement) => {
    const isUpright = matchMedia(UPRIGHT_PHONE).matches;
    // The first call is within the press: browsers reject a later one.
    for (const request of [elementRequest(player), spot ? null : videoRequest(video)]) {
      if (request === null) continue;
      const hasEntered = await request().then(
        () => true,
        () => false,
      );
      if (!hasEntered) continue;
      if (isUpright && video.videoWidth > video.videoHeight) isTurned.current = await turnPhone();
      return;
    }
    if (!isFramed) setFills(true);
  };
  const mode = device ?? (fills ? "window" : null);
  const toggle = () => {
    if (mode !== null) leave();
    else if (frame.current && ref.current) void enter(frame.current, ref.current);
  };
  return { mode, toggle: offered || !isFramed || mode !== null ? toggle : undefined, leave };
}
