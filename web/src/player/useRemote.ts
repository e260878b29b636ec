import { type RefObject, useEffect, useState } from "react";
import type { WebKitVideo } from "./webkitVideo";

/** Opens the browser's device picker (AirPlay, Remote Playback); null if no device is available. */
export function useRemote(ref: RefObject<HTMLVideoElement | null>): (() => void) | null {
  const [found, setFound] = useState(false);
  useEffect(() => {
    const video = ref.current as WebKitVideo | null;
    if (!video) return;
    if (video.webkitShowPlaybackTargetPicker) {
      const look = (event: Event) => setFound((event as { availability?: unknown }).availability === "available");
      video.addEventListener("webkitplaybacktargetavailabilitychanged", look);
      return () => video.removeEventListener("webkitplaybacktargetavailabilitychanged", look);
    }
    if (!video.remote) return;
    let watch: number | undefined;
    let isUnmounted = false;
    // Refused if the device can't scan in the background.
    video.remote.watchAvailability(setFound).then(
      (id) => {
        if (isUnmounted) void video.remote.cancelWatchAvailability(id).catch(() => undefined);
        else watch = id;
      },
      () => undefined,
    );
    return () => {
      isUnmounted = true;
      if (watch !== undefined) void video.remote.cancelWatchAvailability(watch).catch(() => undefined);
    };
  }, [ref]);
  if (!found) return null;
  return () => {
    const video = ref.current as WebKitVideo | null;
    if (video?.webkitShowPlaybackTargetPicker) video.webkitShowPlaybackTargetPicker();
    // Closing the picker is not an error.
    else void video?.remote?.prompt().catch(() => undefined);
  };
}
