import { useEffect } from "react";
import { playerSettings } from "../player/channelSettings";
import { hlsLibrary } from "../player/library";

/** A page that has just come has other things to do, milliseconds. */
const REST = 500;

const saves = (): boolean =>
  (navigator as { readonly connection?: { readonly saveData?: boolean } }).connection?.saveData === true;

/**
 * MEDIA-14. A page that offers a video fetches before it is asked what shows it (`player`), the player's library and settings and, of a
 * recording that anyone may watch, the first playlist (`url`), which the browser keeps: a press waits for the video alone.
 * Not for who saves data.
 */
export function usePlayerAhead(player: (() => Promise<void>) | null, url: string | null): void {
  useEffect(() => {
    if (player === null || saves()) return;
    const timer = setTimeout(() => {
      // What does not come now comes, or fails, when it is asked for.
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
