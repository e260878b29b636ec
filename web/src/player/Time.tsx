import { duration } from "../i18n/format";
import { useTexts } from "../i18n/useTexts";
import type { Playback } from "./playback";
import { usePreference } from "./preferences";

interface TimeProps {
  readonly playback: Playback;
  readonly live: boolean;
  readonly spot: boolean;
  readonly behind: number;
  readonly onLive: () => void;
}

/** The current time. A press on a recording's time shows the remaining time instead, and is stored. */
export function Time({ playback, live, spot, behind, onLive }: TimeProps) {
  const { t } = useTexts();
  const [shows, show] = usePreference("player_time", "elapsed");
  const { time, end } = playback;
  if (spot) {
    const remaining = Math.max(0, Math.ceil(end - time));
    return <span>{end > 0 ? t("player.prerollLeft", { seconds: remaining }) : t("player.preroll")}</span>;
  }
  if (live && behind === 0) return <span>{t("player.atLive")}</span>;
  if (live)
    return (
      <button type="button" className="player__to-live" onClick={onLive}>
        {t("player.toLive")}
        <span className="player__behind">−{duration(behind)}</span>
      </button>
    );
  const showsRemaining = shows === "left";
  return (
    <button
      type="button"
      className="player__to-live"
      title={showsRemaining ? t("player.showElapsed") : t("player.showLeft")}
      onClick={() => show(showsRemaining ? "elapsed" : "left")}
    >
      {showsRemaining ? `−${duration(Math.max(0, end - time))}` : duration(time)}
      <span className="player__behind"> / {duration(end)}</span>
    </button>
  );
}
