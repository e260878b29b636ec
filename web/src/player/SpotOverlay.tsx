import { duration } from "../i18n/format";
import { useTexts } from "../i18n/useTexts";
import type { Playback } from "./playback";
import "./SpotOverlay.css";

/** Rules for a spot before a video. */
export interface SpotRules {
  /** The second from which it can be skipped; null for never. */
  readonly skipAfter: number | null;
  /** `share`: the displayed share of the spot, 0 to 1. */
  readonly onSkip: (share: number) => void;
}

/** Seconds until a spot can be skipped, 0 from then on; null if it ends earlier or can't be skipped. */
function skipsIn({ skipAfter }: SpotRules, { time, end }: Playback): number | null {
  // Nothing has played before its duration is known.
  if (skipAfter === null || end <= skipAfter) return null;
  return Math.max(0, Math.ceil(skipAfter - time));
}

/** Skips a spot if that is allowed by now. */
export function skip(rules: SpotRules, playback: Playback): boolean {
  if (skipsIn(rules, playback) !== 0) return false;
  rules.onSkip(playback.time / playback.end);
  return true;
}

/** PRE-4, PRE-5: labels the spot, shows its remaining time, and offers to skip it if the channel allows. */
export function SpotOverlay({ playback, rules }: { readonly playback: Playback; readonly rules: SpotRules }) {
  const { t } = useTexts();
  const seconds = skipsIn(rules, playback);
  return (
    <>
      <p className="player__ad figures">
        <b>{t("player.ad")}</b>
        {playback.end > 0 && ` · ${duration(Math.max(0, Math.ceil(playback.end - playback.time)))}`}
      </p>
      {seconds !== null && (
        // The same button throughout, so that it keeps the focus when it becomes enabled.
        <button
          type="button"
          className="player__skip button button--chalk figures"
          aria-disabled={seconds > 0 || undefined}
          onClick={() => skip(rules, playback)}
        >
          <span className="button__content">{seconds > 0 ? t("player.skipIn", { seconds }) : t("player.skip")}</span>
        </button>
      )}
    </>
  );
}
