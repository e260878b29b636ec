import { duration } from "../i18n/format";
import { useTexts } from "../i18n/useTexts";
import type { Playback } from "./playback";
import "./SpotParts.css";

/** What a spot before a video may do. */
export interface SpotRules {
  /** The second from which it may be skipped; null: never. */
  readonly skipAfter: number | null;
  /** `share` of it was shown, 0 to 1. */
  readonly onSkip: (share: number) => void;
}

/** Seconds until a spot may be skipped, 0 from then on; null where it is over before, or may not be. */
function skipsIn({ skipAfter }: SpotRules, { time, end }: Playback): number | null {
  // Before its length is known nothing of it was shown.
  if (skipAfter === null || end <= skipAfter) return null;
  return Math.max(0, Math.ceil(skipAfter - time));
}

/** Skips a spot, where it may be by now. */
export function skip(rules: SpotRules, playback: Playback): boolean {
  if (skipsIn(rules, playback) !== 0) return false;
  rules.onSkip(playback.time / playback.end);
  return true;
}

/** PRE-4, PRE-5: says that this is a spot, for how long, and lets it be skipped where the channel does. */
export function SpotParts({ playback, rules }: { readonly playback: Playback; readonly rules: SpotRules }) {
  const { t } = useTexts();
  const seconds = skipsIn(rules, playback);
  return (
    <>
      <p className="player__ad figures">
        <b>{t("player.ad")}</b>
        {playback.end > 0 && ` · ${duration(Math.max(0, Math.ceil(playback.end - playback.time)))}`}
      </p>
      {seconds !== null && (
        // One button all the while: who had the focus on it has it when it can be pressed.
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
