import { useState } from "react";
import { useTexts } from "../../i18n/useTexts";
import type { EventView } from "./eventView";
import { titleText } from "./FixtureName";
import "./Score.css";

/** An event's score, away first. A viewer who hides scores reveals it with a press (SCORE-2). */
export function Score({ event: { score, title } }: { readonly event: Pick<EventView, "score" | "title"> }) {
  const { t } = useTexts();
  const [isRevealed, setRevealed] = useState(false);
  if (!score) return null;
  const { away, home, period, hidden } = score;
  return (
    <p className="score">
      <span className="muted">{period}</span>
      {hidden && !isRevealed ? (
        <button
          type="button"
          className="score__show"
          aria-label={`${t("event.showScore")}: ${titleText(title)}`}
          onClick={() => setRevealed(true)}
        >
          {t("event.showScore")}
        </button>
      ) : (
        <b className="score__points figures">
          {away}–{home}
        </b>
      )}
    </p>
  );
}
