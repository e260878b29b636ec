import { type RefObject, useEffect, useState } from "react";

/** Safari's own names for AirPlay. */
interface AirPlayVideo extends HTMLVideoElement {
  webkitShowPlaybackTargetPicker?(): void;
}

/** Asks the browser for another screen to play on (AirPlay, Remote Playback); null while it knows of none. */
export function useRemote(ref: RefObject<HTMLVideoElement | null>): (() => void) | null {
  const [found, setFound] = useState(false);
  useEffect(() => {
    const video = ref.current as AirPlayVideo | null;
    if (!video) return;
    if (video.webkitShowPlaybackTargetPicker) {
      const look = (event: Event) => setFound((event as { availability?: unknown }).availability === "available");
      video.addEventListener("webkitplaybacktargetavailabilitychanged", look);
      return () => video.removeEventListener("webkitplaybacktargetavailabilitychanged", look);
    }
    if (!video.remote) return;
    let watch: number | undefined;
    let left = false;
    // Refused where the device cannot look for screens by itself.
    video.remote.watchAvailability(setFound).then(
      (id) => {
        if (left) void video.remote.cancelWatchAvailability(id).catch(() => undefined);
        else watch = id;
      },
      () => undefined,
    );
    return () => {
      left = true;
      if (watch !== undefined) void video.remote.cancelWatchAvailability(watch).catch(() => undefined);
    };
  }, [ref]);
  if (!found) return null;
  return () => {
    const video = ref.current as AirPlayVideo | null;
    if (video?.webkitShowPlaybackTargetPicker) video.webkitShowPlaybackTargetPicker();
    // The viewer who closes the list has chosen nothing.
    else void video?.remote?.prompt().catch(() => undefined);
  };
}
