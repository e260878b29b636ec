import { TeamCard } from "../../components/event/TeamCard";
import type { Id } from "../../contracts/resources";
import { useTexts } from "../../i18n/useTexts";
import { linkToGroup, linkToParticipant } from "../../navigation";
import { selectCategories, selectGroups, selectParticipants } from "../../slices/catalogue";
import { useAppSelector } from "../state";
import { useFavourites } from "../useFavourites";
import { schoolView } from "./schoolView";
import { teamKind } from "./teamKind";

/** A team's school and its teams; on the school's page only the teams. */
export function SchoolTeams({ school, except }: { readonly school: Id; readonly except: Id | null }) {
  const { t } = useTexts();
  const favourites = useFavourites();
  const categories = useAppSelector(selectCategories);
  const group = useAppSelector(selectGroups).find(({ id }) => id === school);
  const teams = useAppSelector(selectParticipants).filter(({ group_id, id }) => group_id === school && id !== except);
  if (!group || (except === null && teams.length === 0)) return null;
  return (
    <section className="panel team__panel" aria-labelledby="school">
      <h2 className="type-section" id="school">
        {except === null ? t("find.teams") : t("find.school")}
      </h2>
      <ul className="team__teams">
        {except !== null && (
          <li>
            <TeamCard team={schoolView(group)} to={linkToGroup(group)} {...favourites("group", group.id)} />
          </li>
        )}
        {teams.map((team) => (
          <li key={team.id}>
            <TeamCard
              team={{
                id: team.id,
                name: teamKind(team, categories, t) || team.name,
                detail: team.name,
                color: team.color,
                crest: team.images[0] ?? null,
              }}
              to={linkToParticipant(team)}
              {...favourites("participant", team.id)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
