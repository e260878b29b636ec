import { Link, type To } from "react-router";
import { useTexts } from "../../i18n/useTexts";
import { Button } from "../basic/Button";
import { Crest } from "../picture/Crest";
import "./TeamCard.css";

export interface TeamView {
  readonly id: number;
  readonly name: string;
  readonly detail: string;
  readonly color: string;
  readonly crest: string | null;
}

interface TeamCardProps {
  readonly team: TeamView;
  readonly to?: To;
  readonly favourite: Favourite;
}

interface Favourite {
  readonly on: boolean;
  readonly onToggle: () => void;
}

/** The favourite button of a team, a school or a sport (FAV-1). */
export function Heart({ name, favourite }: { readonly name: string; readonly favourite: Favourite }) {
  const { t } = useTexts();
  return (
    <Button
      look="quiet"
      icon="heart"
      iconFilled={favourite.on}
      className={favourite.on ? "team-card__heart team-card__heart--on" : "team-card__heart"}
      aria-pressed={favourite.on}
      label={t(favourite.on ? "event.favourite.remove" : "event.favourite.add", { name })}
      onClick={favourite.onToggle}
    />
  );
}

/** A team with its crest and favourite button. */
export function TeamCard({ team, to, favourite }: TeamCardProps) {
  return (
    <div className="team-card" data-card="">
      <Crest className="team-card__crest" name={team.name} color={team.color} image={team.crest} />
      <div className="team-card__words">
        {to === undefined ? (
          <b className="team-card__name">
            <bdi>{team.name}</bdi>
          </b>
        ) : (
          <Link className="team-card__name team-card__link" data-stop="" to={to}>
            <bdi>{team.name}</bdi>
          </Link>
        )}
        {team.detail !== "" && <span className="type-meta muted">{team.detail}</span>}
      </div>
      <Heart name={team.name} favourite={favourite} />
    </div>
  );
}
