import { useSearchParams } from "react-router";
import { FieldError } from "../../components/form/Field";
import { useErrorReveal } from "../../components/form/reveal";
import { useTexts } from "../../i18n/useTexts";
import type { Product } from "./product";

interface TeamChoiceProps {
  readonly teams: Product["teams"];
  readonly chosen: number | null;
  /** Number of presses of the button without a team. */
  readonly attempts: number;
  readonly onChoose: () => void;
}

/** The team of a pass; the choice is stored in the address. */
export function TeamChoice({ teams, chosen, attempts, onChoose }: TeamChoiceProps) {
  const { t } = useTexts();
  const [, setParams] = useSearchParams();
  const field = useErrorReveal<HTMLDivElement>(attempts);
  const isMissing = attempts > 0;
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
    <div className="field" ref={field} data-field>
      <label className="field__label" htmlFor="buy-team">
        {t("buy.team")}
      </label>
      <select
        id="buy-team"
        className="field__box buy__team"
        value={chosen ?? ""}
        aria-invalid={isMissing}
        aria-describedby={isMissing ? "buy-team-error" : undefined}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        <option value="">{t("buy.teamPrompt")}</option>
        {teams.map((team) => (
          <option key={team.id} value={team.id}>
            <bdi>{team.name}</bdi>
          </option>
        ))}
      </select>
      {isMissing && <FieldError id="buy-team-error">{t("server.teamNotSelected")}</FieldError>}
    </div>
  );
}
