import { type ReactNode } from "react";
import { Link } from "react-router";
import { useNow } from "../../components/basic/now";
import { FixtureRow } from "../../components/event/FixtureRow";
import { TeamCard } from "../../components/event/TeamCard";
import { Crest } from "../../components/picture/Crest";
import type { Participant, ParticipantGroup, SearchResults } from "../../contracts/resources";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { folded } from "../../lib/folded";
import { linkToGroup, linkToParticipant } from "../../navigation";
import { selectCategories } from "../../slices/catalogue";
import { selectEventsById } from "../../slices/events";
import { ClipCard } from "../clips/ClipCard";
import { useEventView } from "../eventViews";
import { VodCard } from "../library/VodCard";
import { useEntryState } from "../shell/entryState";
import { useAppSelector } from "../state";
import { schoolView } from "../team/schoolView";
import { teamKind } from "../team/teamKind";
import { useFavourites } from "../useFavourites";
import { dayLabel } from "./dayLabel";
import { Marked } from "./Marked";
import "../../components/form/Filter.css";
import { Nothing } from "./Nothing";

/** Results of one type. A new type is a new entry of `groups`. */
interface Group {
  readonly key: "games" | "teams" | "schools" | "videos" | "clips" | "pages";
  readonly total: number;
  /** Number shown among other types; all if the type is selected. */
  readonly few: number;
  readonly items: readonly ReactNode[];
  readonly list: string;
}

interface ResultsProps {
  readonly query: string;
  readonly results: SearchResults;
  /** Called when a result is opened. */
  readonly onOpen: () => void;
}

/** The school or team whose name matches every word of the query. */
function named({ participant_groups, participants }: SearchResults, query: string) {
  const wanted = folded(query).split(/\s+/).filter(Boolean);
  const isNamed = (...names: readonly string[]) => {
    const nameTokens = folded(names.join(" ")).split(/\s+/);
    return wanted.every((one) => nameTokens.some((word) => word.startsWith(one)));
  };
  const school = participant_groups.data.find(({ name, nickname }) => isNamed(name, nickname));
  if (school) return { school };
  const team = participants.data.find(({ name, short_name }) => isNamed(name, short_name));
  return team ? { team } : null;
}

/** The top result, large: Enter opens it. */
function Top({
  school,
  team,
  query,
}: {
  readonly school?: ParticipantGroup;
  readonly team?: Participant;
  readonly query: string;
}) {
  const { t } = useTexts();
  const categories = useAppSelector(selectCategories);
  const one = school ?? team;
  if (!one) return null;
  const name = school ? `${school.name} ${school.nickname}`.trim() : one.name;
  const about = school
    ? [t("find.school"), school.properties.city, school.properties.league]
    : [team && teamKind(team, categories, t), one.properties.league];
  return (
    <Link className="search__top" data-stop="" data-card="" to={school ? linkToGroup(school) : linkToParticipant(one)}>
      <Crest className="search__crest" name={one.name} color={one.color} image={one.images[0] ?? null} />
      <span className="search__top-words">
        <b className="search__top-name">
          <Marked text={name} query={query} />
        </b>
        <span className="type-meta muted">{about.filter(Boolean).join(", ")}</span>
      </span>
      <span className="search__opens type-meta muted" aria-hidden="true">
        <kbd className="search__key">Enter</kbd> {t("find.keyOpen")}
      </span>
    </Link>
  );
}

/** Older workers and recordings don't return clips. */
const NO_CLIPS: SearchResults["clips"] = { data: [], meta: { total: 0, limit: 0, offset: 0 } };

function useGroups(
  { events, participants, participant_groups, vod_media_items, clips = NO_CLIPS, pages }: SearchResults,
  query: string,
) {
  const { t } = useTexts();
  const formats = useFormats();
  const now = useNow(60_000);
  const view = useEventView();
  const byId = useAppSelector(selectEventsById);
  const categories = useAppSelector(selectCategories);
  const favourites = useFavourites();
  const groups: readonly Group[] = [
    {
      key: "games",
      total: events.meta.total,
      few: 6,
      list: "",
      // A pushed status or score is newer than the response.
      items: events.data
        .map((event) => view(byId[event.id] ?? event))
        .map((event) => <FixtureRow key={event.id} event={event} day={dayLabel(event, now, formats, t)} />),
    },
    {
      key: "teams",
      total: participants.meta.total,
      few: 6,
      list: "search__teams",
      items: participants.data.map((team) => (
        <li key={team.id}>
          <TeamCard
            team={{
              id: team.id,
              name: team.name,
              detail: teamKind(team, categories, t),
              color: team.color,
              crest: team.images[0] ?? null,
            }}
            to={linkToParticipant(team)}
            {...favourites("participant", team.id)}
          />
        </li>
      )),
    },
    {
      key: "schools",
      total: participant_groups.meta.total,
      few: 6,
      list: "search__teams",
      items: participant_groups.data.map((school) => (
        <li key={school.id}>
          <TeamCard team={schoolView(school)} to={linkToGroup(school)} {...favourites("group", school.id)} />
        </li>
      )),
    },
    {
      key: "videos",
      total: vod_media_items.meta.total,
      few: 3,
      list: "search__cards",
      items: vod_media_items.data.map((item) => (
        <li key={item.id} data-card="">
          <VodCard item={item} />
        </li>
      )),
    },
    {
      key: "clips",
      total: clips.meta.total,
      few: 3,
      list: "search__cards",
      items: clips.data.map((clip) => (
        <li key={clip.id} data-card="">
          <ClipCard clip={clip} />
        </li>
      )),
    },
    {
      key: "pages",
      total: pages.meta.total,
      few: 4,
      list: "search__list",
      items: pages.data.map((page) => (
        <li key={page.id} className="search__line">
          <Link className="search__page" data-stop="" to={page.url}>
            <Marked text={page.name} query={query} />
          </Link>
        </li>
      )),
    },
  ];
  return groups.filter(({ total }) => total > 0);
}

/** Results by type; chips filter by one type. */
export function Results({ query, results, onOpen }: ResultsProps) {
  const { t } = useTexts();
  const formats = useFormats();
  const groups = useGroups(results, query);
  const [chosen, setChosen] = useEntryState<Group["key"] | null>("type", null);
  const total = groups.reduce((sum, group) => sum + group.total, 0);
  if (total === 0) return <Nothing query={query} />;
  const top = chosen === null ? named(results, query) : null;
  const chip = (key: Group["key"] | null, label: string, count: number) => (
    <button
      key={key ?? "all"}
      type="button"
      className="filter search__chip"
      aria-pressed={chosen === key}
      onClick={() => setChosen(key)}
    >
      {label} <span className="muted figures">{formats.count(count)}</span>
    </button>
  );
  return (
    <div onClick={(event) => (event.target as HTMLElement).closest("a") && onOpen()}>
      <p className="visually-hidden" role="status">
        {t("find.found", { count: total, words: query })}
      </p>
      <fieldset className="search__chips" aria-label={t("find.kinds")}>
        {chip(null, t("list.all"), total)}
        {groups.map((group) => chip(group.key, t(`find.${group.key}`), group.total))}
      </fieldset>
      {top && <Top {...top} query={query} />}
      {groups
        .filter(({ key }) => chosen === null || key === chosen)
        .map(({ key, total, few, items, list }) => (
          <section key={key} className="search__section" aria-labelledby={`found-${key}`}>
            <div className="section-heading">
              <h2 className="type-section" id={`found-${key}`}>
                {t(`find.${key}`)}
              </h2>
              <span className="muted figures">{formats.count(total)}</span>
              {chosen === null && items.length > few && (
                <button type="button" className="section-heading__more search__more" onClick={() => setChosen(key)}>
                  {t("find.showAll", { count: items.length })}
                </button>
              )}
            </div>
            <ul className={list || undefined}>{chosen === null ? items.slice(0, few) : items}</ul>
            {chosen !== null && total > items.length && (
              <p className="muted type-meta">{t("find.narrow", { shown: formats.count(items.length) })}</p>
            )}
          </section>
        ))}
    </div>
  );
}
