import { Button } from "../../components/basic/Button";
import { Icon } from "../../components/basic/Icon";
import { Touchline } from "../../components/basic/Touchline";
import { RadioCard } from "../../components/form/RadioCard";
import { Crest } from "../../components/picture/Crest";
import type { Package, Participant } from "../../contracts/resources";
import { useTexts } from "../../i18n/useTexts";
import { selectCategories, selectGroups } from "../../slices/catalogue";
import { selectFavourites } from "../../slices/favourites";
import { useEntryState } from "../shell/entryState";
import { useAppSelector } from "../state";
import { bySport, countOf, marked, matchesSearch, nicknameOf } from "./teamGroups";
import { useContents } from "./useContents";
import "../../components/form/Filter.css";
import "./TeamPicker.css";

interface TeamPickerProps {
  readonly item: Package;
  readonly teams: readonly Participant[];
  readonly chosen: number | null;
  readonly onChoose: (id: number) => void;
}

interface CardProps {
  readonly team: Participant;
  /** Name of the group: a followed team appears in two. */
  readonly group: string;
  readonly about: string;
  readonly typed: string;
  readonly isSoldOut: boolean;
  readonly isChosen: boolean;
  readonly onChoose: (id: number) => void;
}

function Marked({ text, typed }: { readonly text: string; readonly typed: string }) {
  const [before, found, after] = marked(text, typed);
  return found === undefined ? (
    text
  ) : (
    <>
      {before}
      <mark className="team-picker__found">{found}</mark>
      {after}
    </>
  );
}

/** EVENT-5: a school's teams often share one name. */
function ShortGender({ team: { properties } }: { readonly team: Participant }) {
  const { t } = useTexts();
  const { gender } = properties;
  if (gender !== "male" && gender !== "female") return null;
  return (
    <abbr className="team-picker__gender muted" title={t(`event.genderName.${gender}`)}>
      {t(`event.genderShort.${gender}`)}
    </abbr>
  );
}

function TeamChoiceCard({ team, group, about, typed, isSoldOut: isTaken, isChosen, onChoose }: CardProps) {
  const { t } = useTexts();
  return (
    <RadioCard
      name={`team-${group}`}
      value={team.id}
      checked={isChosen}
      disabled={isTaken}
      onChange={() => onChoose(team.id)}
      title={
        <>
          <Marked text={team.short_name} typed={typed} /> <ShortGender team={team} />
        </>
      }
      text={isTaken ? t("packages.sold") : <Marked text={about} typed={typed} />}
      icon={
        <Crest
          name={team.short_name}
          color={team.color}
          image={team.images[0] ?? null}
          className="team-picker__crest"
        />
      }
    />
  );
}

/** The teams of a pass, with search and sport filter; followed teams come first (PKG-3). */
export function TeamPicker({ item, teams, chosen, onChoose }: TeamPickerProps) {
  const { t } = useTexts();
  const categories = useAppSelector(selectCategories);
  const favourites = useAppSelector(selectFavourites);
  const schools = useAppSelector(selectGroups);
  const [typed, setTyped] = useEntryState<string>("team", "");
  const [sport, setSport] = useEntryState<string | null>("sport", null);
  const all = bySport(teams, categories);
  const found = bySport(
    teams.filter((team) => matchesSearch(team, typed, categories)),
    categories,
  );
  const visible = found.filter((one) => sport === null || one.sport === sport);
  const isFollowed = (team: Participant) =>
    favourites.some(
      ({ favoritable_type: type, favoritable_id: id }) =>
        (type === "participant" && id === team.id) || (type === "group" && id === team.group_id),
    );
  const followed = typed === "" && sport === null ? teams.filter(isFollowed) : [];
  const contentOf = useContents();
  const unavailable = new Set(item.disabled_participants);
  // Without the count until it is loaded.
  const withGames = (about: string, team: Participant): string => {
    const content = contentOf(item, team.id);
    const games = content && t("compare.games", { count: content.events });
    return [about, games].filter(Boolean).join(", ");
  };
  const card = (group: string, about: (team: Participant) => string) => (team: Participant) => (
    <TeamChoiceCard
      key={team.id}
      team={team}
      group={group}
      about={withGames(about(team), team)}
      typed={typed}
      isSoldOut={unavailable.has(team.id)}
      isChosen={chosen === team.id}
      onChoose={onChoose}
    />
  );
  const sportOf = (team: Participant): string => {
    const name = all.find((one) => one.sport === (team.properties.sport ?? ""))?.name ?? "";
    const { gender } = team.properties;
    return gender === "male" || gender === "female"
      ? t(`event.gender.${gender}`, { sport: name.toLocaleLowerCase() })
      : name;
  };
  const filter = (value: string | null, label: string, count: number) => (
    <button
      key={value ?? ""}
      type="button"
      className={`filter${sport === value ? " filter--set" : ""}`}
      aria-pressed={sport === value}
      onClick={() => setSport(value)}
    >
      {label} <span className="muted figures">{count}</span>
    </button>
  );
  const clear = () => {
    setTyped("");
    setSport(null);
  };
  const count = visible.reduce((sum, one) => sum + countOf(one), 0);
  return (
    <div className="team-picker">
      <div className="team-picker__tools">
        <label className="team-picker__search field__box">
          <span className="visually-hidden">{t("packages.searchTeam")}</span>
          <Icon name="search" />
          <input
            className="field__input"
            type="search"
            placeholder={t("packages.searchTeamHint")}
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </label>
        {all.length > 1 && (
          <fieldset className="team-picker__sports" aria-label={t("packages.sport")}>
            {filter(null, t("list.all"), teams.length)}
            {all.map((one) => filter(one.sport, one.name, countOf(one)))}
          </fieldset>
        )}
      </div>
      <p className="visually-hidden" role="status">
        {typed === "" ? "" : t("packages.teamsFound", { found: count, all: teams.length })}
      </p>
      {followed.length > 0 && (
        <section>
          <h2 className="type-section">{t("packages.yourTeams")}</h2>
          <div className="team-picker__teams">{followed.map(card("yours", sportOf))}</div>
        </section>
      )}
      {count === 0 && (
        <div className="team-picker__none">
          <Touchline state={{ kind: "upcoming" }} />
          <b>{t("packages.noTeam", { typed })}</b>
          <p className="type-meta muted">{t("packages.noTeamText", { count: schools.length })}</p>
          <Button onClick={clear}>{t("packages.showAll", { count: teams.length })}</Button>
        </div>
      )}
      {visible.map((one) => (
        <section key={one.sport}>
          <h2 className="type-section">
            <bdi>{one.name}</bdi> <span className="muted figures">{countOf(one)}</span>
          </h2>
          {one.groups.map(({ gender, teams: members }) => (
            <fieldset key={gender} className="team-picker__group">
              <legend className={gender === "other" ? "visually-hidden" : "type-label"}>
                {gender === "other" ? one.name : t(`event.genderName.${gender}`)}
              </legend>
              <div className="team-picker__teams">{members.map(card(`${one.sport}-${gender}`, nicknameOf))}</div>
            </fieldset>
          ))}
        </section>
      ))}
    </div>
  );
}
