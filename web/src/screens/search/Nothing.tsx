import { Link } from "react-router";
import { useNow } from "../../components/basic/now";
import { Touchline } from "../../components/basic/Touchline";
import { FixtureRow } from "../../components/event/FixtureRow";
import { SectionHeading } from "../../components/text/SectionHeading";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { linkTo, linkToGroup, linkToParticipant } from "../../navigation";
import { selectCategories, selectMenu, selectParticipants } from "../../slices/catalogue";
import { useStatus } from "../events/useStatus";
import { useEventView } from "../eventViews";
import { useAppSelector } from "../state";
import { teamKind } from "../team/teamKind";
import { dayLabel } from "./dayLabel";

/** Maximum number of suggested schools, and of teams. */
const MAX_ENTRIES = 24;
/** Maximum number of suggested events per state. */
const LIMIT = 3;
const ALL = {};

interface MenuEntry {
  readonly id: number;
  readonly name: string;
  readonly to: string;
  /** Distinguishes it from others with the same name. */
  readonly kind?: string | undefined;
}

interface MenuEntriesProps {
  readonly id: string;
  readonly title: string;
  readonly entries: readonly MenuEntry[];
}

/** Entries of the channel's menu, up to the limit. */
function MenuEntries({ id, title, entries }: MenuEntriesProps) {
  if (entries.length === 0) return null;
  return (
    <section className="search__section" aria-labelledby={id}>
      <SectionHeading id={id} title={title} />
      <ul className="search__sports">
        {entries.slice(0, MAX_ENTRIES).map((entry) => (
          <li key={entry.id}>
            <Link className="search__sport" data-stop="" to={entry.to}>
              <span>
                <bdi>{entry.name}</bdi>
                {entry.kind && <small className="search__kind">{entry.kind}</small>}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Suggestions for a search without results or input: sports, live and upcoming events, schools and teams (NAV-7). */
export function Nothing({ query }: { readonly query: string }) {
  const { t } = useTexts();
  const formats = useFormats();
  const now = useNow(60_000);
  const view = useEventView();
  const sports = useAppSelector(selectCategories);
  const menu = useAppSelector(selectMenu);
  const teams = useAppSelector(selectParticipants);
  const live = useStatus(ALL, "live", LIMIT).events;
  const upcoming = useStatus(ALL, "upcoming", LIMIT).events;
  const next = [...live, ...upcoming].slice(0, 2 * LIMIT).map(view);
  return (
    <>
      {query !== "" && (
        <div className="search__nothing">
          <div className="empty__line">
            <Touchline state={{ kind: "upcoming" }} />
          </div>
          <h2 className="type-page">{t("find.nothing", { words: query })}</h2>
          <p className="muted" role="status">
            {t("find.nothingText")}{" "}
            <Link className="link" to={linkTo("contacts")}>
              {t("find.write")}
            </Link>
          </p>
        </div>
      )}
      <MenuEntries
        id="sports"
        title={t("find.sports")}
        entries={sports.map(({ id, name, alias }) => ({ id, name, to: linkTo("home", {}, { sport: alias }) }))}
      />
      {next.length > 0 && (
        <section className="search__section" aria-labelledby="next">
          <SectionHeading id="next" title={t("find.next")} more={{ to: "/schedule", label: t("home.fullSchedule") }} />
          <ul>
            {next.map((event) => (
              <FixtureRow key={event.id} event={event} day={dayLabel(event, now, formats, t)} />
            ))}
          </ul>
        </section>
      )}
      <MenuEntries
        id="menu-schools"
        title={t("find.schools")}
        entries={(menu?.groups ?? []).map((one) => ({ id: one.id, name: one.name, to: linkToGroup(one) }))}
      />
      <MenuEntries
        id="menu-teams"
        title={t("find.teams")}
        entries={(menu?.participants ?? []).map((one) => {
          const team = teams.find(({ id }) => id === one.id);
          return { id: one.id, name: one.name, to: linkToParticipant(one), kind: team && teamKind(team, sports, t) };
        })}
      />
    </>
  );
}
