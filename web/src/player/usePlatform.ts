import { useEffect } from "react";
import type { Playback } from "./playback";
import type { VideoCommands } from "./useVideo";

const STEP = 10;

/** Device integration: media keys and the lock screen (Media Session), and a screen that stays on. */
export function usePlatform(playback: Playback, commands: VideoCommands, spot: boolean): void {
  const playing = playback.at === "playing";

  useEffect(() => {
    const session = navigator.mediaSession;
    if (!session || spot) return;
    session.metadata = new MediaMetadata({ title: document.title });
    session.playbackState = playing ? "playing" : "paused";
    const by = (sign: number) => (details: MediaSessionActionDetails) =>
      commands.seekBy(sign * (details.seekOffset ?? STEP));
    const handlers: [MediaSessionAction, MediaSessionActionHandler][] = [
      ["play", commands.play],
      ["pause", commands.pause],
      ["seekbackward", by(-1)],
      ["seekforward", by(1)],
      ["seekto", ({ seekTime }) => seekTime != null && commands.seek(seekTime)],
    ];
    for (const [action, handler] of handlers) session.setActionHandler(action, handler);
    return () => {
      for (const [action] of handlers) session.setActionHandler(action, null);
    };
  });

  useEffect(() => {
    if (!playing || !("wakeLock" in navigator)) return;
    let isUnmounted = false;
    let lock: WakeLockSentinel | null = null;
    const hold = async () => {
      if (document.visibilityState !== "visible") return;
      // Refused on low battery: the screen may turn off.
      const sentinel = await navigator.wakeLock.request("screen").catch(() => null);
      if (isUnmounted) await sentinel?.release();
      else lock = sentinel;
    };
    void hold();
    document.addEventListener("visibilitychange", hold);
    return () => {
      isUnmounted = true;
      document.removeEventListener("visibilitychange", hold);
      void lock?.release();
    };
  }, [playing]);
}
