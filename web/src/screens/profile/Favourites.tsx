import { Empty } from "../../components/basic/Empty";
import { TeamCard, type TeamView } from "../../components/event/TeamCard";
import { SectionHeading } from "../../components/text/SectionHeading";
import type { FavouriteType } from "../../contracts/resources";
import { useTexts } from "../../i18n/useTexts";
import { linkTo, linkToGroup, linkToParticipant } from "../../navigation";
import { selectCategories, selectGroups, selectParticipants } from "../../slices/catalogue";
import { useAppSelector } from "../state";
import { schoolView } from "../team/schoolView";
import { teamKind } from "../team/teamKind";
import { useFavourites } from "../useFavourites";
import { ProfilePage } from "./ProfilePage";
import "./Favourites.css";

interface Followable {
  readonly type: FavouriteType;
  readonly team: TeamView;
  readonly to: string;
}

/** Sports have no colour. */
const PLAIN = "#2d3340";

function useFollowables() {
  const { t } = useTexts();
  const categories = useAppSelector(selectCategories);
  const sports = categories.map(
    ({ id, name, sport }): Followable => ({
      type: "category",
      team: { id, name, detail: "", color: PLAIN, crest: null },
      to: linkTo("home", {}, { sport }),
    }),
  );
  const schools = useAppSelector(selectGroups).map(
    (group): Followable => ({
      type: "group",
      team: schoolView(group),
      to: linkToGroup(group),
    }),
  );
  const teams = useAppSelector(selectParticipants).map(
    (team): Followable => ({
      type: "participant",
      team: {
        id: team.id,
        name: team.name,
        detail: teamKind(team, categories, t),
        color: team.color,
        crest: team.images[0] ?? null,
      },
      to: linkToParticipant(team),
    }),
  );
  return { sports, schools, teams };
}

/** Followed sports, schools and teams, then all others (FAV-4). */
export function Component() {
  const { t } = useTexts();
  const favourites = useFavourites();
  const followables = useFollowables();
  const isOn = ({ type, team }: Followable) => favourites(type, team.id).favourite.on;
  const followed = Object.values(followables).flat().filter(isOn);
  const section = (id: "followed" | keyof typeof followables, items: readonly Followable[]) =>
    items.length > 0 && (
      <section className="favourites__section" aria-labelledby={id}>
        <SectionHeading id={id} title={t(`favourites.${id}`)} />
        <ul className="team-grid">
          {items.map(({ type, team, to }) => (
            <li key={`${type}/${team.id}`}>
              <TeamCard team={team} to={to} {...favourites(type, team.id)} />
            </li>
          ))}
        </ul>
      </section>
    );
  const others = (items: readonly Followable[]) => items.filter((item) => !isOn(item));
  return (
    <ProfilePage title={t("profile.favourites")}>
      {followed.length === 0 && <Empty title={t("favourites.none")} text={t("favourites.noneText")} />}
      {section("followed", followed)}
      {section("sports", others(followables.sports))}
      {section("schools", others(followables.schools))}
      {section("teams", others(followables.teams))}
    </ProfilePage>
  );
}
