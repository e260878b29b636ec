import { useSearchParams } from "react-router";
import { FieldError } from "../../components/form/Field";
import { useTexts } from "../../i18n/useTexts";
import type { Product } from "./product";

interface TeamChoiceProps {
  readonly teams: Product["teams"];
  readonly chosen: number | null;
  /** Whether the button was pressed without a team. */
  readonly isMissing: boolean;
  readonly onChoose: () => void;
}

/** The team of a pass; the choice is stored in the address. */
export function TeamChoice({ teams, chosen, isMissing, onChoose }: TeamChoiceProps) {
  const { t } = useTexts();
  const [, setParams] = useSearchParams();
  const choose = (id: string) => {
    onChoose();
    setParams(
      (params) => {
        const next = new URLSearchParams(params);
        if (id === "") next.delete("participant_id");
        else next.set("participant_id", id);
        return next;
      },
      { replace: true, preventScrollReset: true },
    );
  };
  return (
    <div className="field">
      <label className="field__label" htmlFor="buy-team">
        {t("buy.team")}
      </label>
      <select
        id="buy-team"
        className="field__box buy__team"
        value={chosen ?? ""}
        aria-invalid={isMissing}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        <option value="">{t("buy.teamPrompt")}</option>
        {teams.map((team) => (
          <option key={team.id} value={team.id}>
            {team.name}
          </option>
        ))}
      </select>
      {isMissing && <FieldError>{t("server.teamNotSelected")}</FieldError>}
    </div>
  );
}
