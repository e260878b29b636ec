import { useEffect } from "react";
import { playerSettings } from "../player/channelSettings";
import { savesData } from "../player/dataSaver";
import { hlsLibrary } from "../player/library";

/** Delay after the page has loaded, in milliseconds. */
const REST = 500;

/**
 * MEDIA-14. A page with a video preloads the player's screen (`player`), its library and settings and, for a public
 * recording, the first playlist (`url`), which the browser caches: a press then waits only for the video. Disabled with
 * data saver.
 */
export function usePlayerAhead(player: (() => Promise<void>) | null, url: string | null): void {
  useEffect(() => {
    if (player === null || savesData()) return;
    const timer = setTimeout(() => {
      // A failed preload is retried, or reported, on use.
      const silent = () => undefined;
      player().catch(silent);
      hlsLibrary().catch(silent);
      void playerSettings();
      if (url?.endsWith(".m3u8"))
        fetch(url)
          .then((answer) => answer.arrayBuffer())
          .catch(silent);
    }, REST);
    return () => clearTimeout(timer);
  }, [player, url]);
}
