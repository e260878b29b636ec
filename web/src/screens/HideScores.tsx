import { useTexts } from "../i18n/useTexts";
import { preferencesActions, selectPreference } from "../slices/preferences";
import { HIDE_SCORES } from "./eventViews";
import { useAppDispatch, useAppSelector } from "./state";
import "./HideScores.css";

/** The viewer's setting to hide scores everywhere (SCORE-2). */
export function HideScores() {
  const { t } = useTexts();
  const dispatch = useAppDispatch();
  const hides = useAppSelector(selectPreference(HIDE_SCORES)) === "1";
  return (
    <button
      type="button"
      role="switch"
      aria-checked={hides}
      className="hide-scores"
      onClick={() => dispatch(preferencesActions.chose({ name: HIDE_SCORES, value: hides ? "" : "1" }))}
    >
      {t("schedule.hideScores")}
      <span className="hide-scores__track" aria-hidden="true" />
    </button>
  );
}
