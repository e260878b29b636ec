import { Button } from "../../components/basic/Button";
import { TeamCard } from "../../components/event/TeamCard";
import { moveInRail, rememberPosition } from "../../components/rail/rails";
import { useTexts } from "../../i18n/useTexts";
import { linkToGroup } from "../../navigation";
import { selectGroups } from "../../slices/catalogue";
import { useEntryState } from "../shell/entryState";
import { useAppSelector } from "../state";
import { schoolView } from "../team/schoolView";
import { useFavourites } from "../useFavourites";

/** Two rows of five on wide screens. */
const PAGE_SIZE = 10;

/** The channel's schools with favourite buttons. */
export function Schools() {
  const { t } = useTexts();
  const groups = useAppSelector(selectGroups);
  const favourites = useFavourites();
  const [all, setAll] = useEntryState<"all" | null>("schools", null);
  if (groups.length === 0) return null;
  return (
    <section className="section" aria-labelledby="schools">
      <div className="section-heading">
        <h2 className="type-section" id="schools">
          {t("home.schools")}
        </h2>
        {groups.length > PAGE_SIZE && (
          <Button
            look="quiet"
            size="small"
            className="section-heading__more"
            aria-expanded={all !== null}
            onClick={() => setAll(all === null ? "all" : null)}
          >
            {all ? t("home.fewerSchools") : t("home.allSchools", { count: groups.length })}
          </Button>
        )}
      </div>
      <ul className="team-grid" data-rail="" onKeyDown={moveInRail} onFocus={rememberPosition}>
        {(all ? groups : groups.slice(0, PAGE_SIZE)).map((group) => (
          <li key={group.id}>
            <TeamCard team={schoolView(group)} to={linkToGroup(group)} {...favourites("group", group.id)} />
          </li>
        ))}
      </ul>
    </section>
  );
}
