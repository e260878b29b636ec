import { ButtonLink } from "../../components/basic/Button";
import { Empty } from "../../components/basic/Empty";
import { CardSkeletons } from "../../components/basic/Skeleton";
import { Heart } from "../../components/event/TeamCard";
import type { EventCategory, EventFilter, Slide, StreamStatus } from "../../contracts/resources";
import { useTexts } from "../../i18n/useTexts";
import { linkTo, linkToGroup, linkToParticipant } from "../../navigation";
import {
  selectCategories,
  selectGroupProperties,
  selectGroups,
  selectMainSlides,
  selectParticipants,
} from "../../slices/catalogue";
import { useStatus } from "../events/useStatus";
import { categoryPath, namedCategory, nameOfPath, useEventView } from "../eventViews";
import { FailedRead } from "../FailedRead";
import { Component as NotFound } from "../NotFound";
import { useDocumentTitle } from "../shell/useDocumentTitle";
import { useAppSelector } from "../state";
import { type Subject, TeamPage } from "../team/TeamPage";
import { teamKind } from "../team/teamKind";
import { useFavourites } from "../useFavourites";
import { Featured } from "./Featured";
import { RailSection, UpcomingSection } from "./HomeRails";

/** The home page's filter in the address. */
interface Narrowing {
  readonly kind: "group" | "participant" | "division" | "sport";
  /** An alias, a name or an id. */
  readonly value: string;
}

/** The first school, team, division or sport in the address, in this order. */
function narrowingOf(params: URLSearchParams): Narrowing {
  const group = params.get("group") || params.get("school");
  if (group) return { kind: "group", value: group };
  const participant = params.get("participant") || params.get("team");
  if (participant) return { kind: "participant", value: participant };
  const division = params.get("division");
  if (division) return { kind: "division", value: division };
  return { kind: "sport", value: params.get("sport") ?? "" };
}

interface Named {
  readonly id: number;
  readonly name: string;
  readonly alias: string;
}

const find = <T extends Named>(items: readonly T[], value: string): T | undefined =>
  items.find(({ id, name, alias }) => alias === value || name === value || String(id) === value);

const LIMIT = 12;

function useViews(filter: EventFilter, status: StreamStatus) {
  const view = useEventView();
  const { events, ...others } = useStatus(filter, status, LIMIT);
  return { events: events.map(view), ...others };
}

/** The school or team named in the address; null if the channel doesn't have it. */
function useSubject({ kind, value }: Narrowing): Subject | null {
  const { t } = useTexts();
  const groups = useAppSelector(selectGroups);
  const participants = useAppSelector(selectParticipants);
  const categories = useAppSelector(selectCategories);
  const groupProperties = useAppSelector(selectGroupProperties);
  if (kind === "group") {
    const group = find(groups, value);
    if (!group) return null;
    const { id, properties } = group;
    // In the channel's terms and order.
    const facts = groupProperties.flatMap(({ key, name }) =>
      key === "city" || key === "state" || !properties[key] ? [] : [`${name}: ${properties[key]}`],
    );
    return {
      kind,
      id,
      short: group.name,
      name: `${group.name} ${group.nickname}`.trim(),
      about: [t("find.school"), properties.city, properties.state].filter(Boolean).join(", "),
      league: facts.join(" · ") || (properties.league ?? ""),
      color: group.color,
      crest: group.images[0] ?? null,
      path: linkToGroup(group),
      school: id,
      favourite: ["group", id],
      filter: { group: group.alias || String(id) },
    };
  }
  const team = kind === "participant" ? find(participants, value) : undefined;
  if (!team) return null;
  return {
    kind: "participant",
    id: team.id,
    short: team.short_name,
    name: team.name,
    about: teamKind(team, categories, t),
    league: team.properties.league ?? "",
    color: team.color,
    crest: team.images[0] ?? null,
    path: linkToParticipant(team),
    school: team.group_id ?? null,
    favourite: ["participant", team.id],
    filter: { participant: team.id },
  };
}

/** The home page of a school, team, sport or division; the 404 page if the channel doesn't have it. */
export function Component({ params }: { readonly params: URLSearchParams }) {
  const narrowing = narrowingOf(params);
  const slides = useAppSelector(selectMainSlides);
  const subject = useSubject(narrowing);
  const categories = useAppSelector(selectCategories);
  if (!subject) {
    const path = pathNamed(categories, narrowing);
    const category = path.at(-1);
    return category ? <Category path={path} category={category} /> : <NotFound />;
  }
  const type = subject.kind;
  const subjectSlides = slides.filter(
    ({ slidable_type, slidable_id }) => slidable_type === type && slidable_id === subject.id,
  );
  return (
    <>
      {subjectSlides.length > 0 && <Featured slides={subjectSlides} />}
      <TeamPage subject={subject} level={subjectSlides.length > 0 ? 2 : 1} />
    </>
  );
}

/** The path from the sport to the category in the address; empty if there is none. */
function pathNamed(categories: readonly EventCategory[], { kind, value }: Narrowing): readonly EventCategory[] {
  if (kind === "division") return namedCategory(categories, value);
  const sport = kind === "sport" ? find(categories, value) : undefined;
  return sport ? [sport] : [];
}

interface CategoryProps {
  /** The path from the sport to `category`. */
  readonly path: readonly EventCategory[];
  readonly category: EventCategory;
}

/** The home page of a sport or one of its divisions. */
function Category({ path, category }: CategoryProps) {
  const { t } = useTexts();
  const categories = useAppSelector(selectCategories);
  const slides = useAppSelector(selectMainSlides);
  const name = nameOfPath(path);
  useDocumentTitle(name);
  const isOfCategory = ({ slidable_type, slidable_id }: Slide) =>
    slidable_type === "category" &&
    slidable_id !== undefined &&
    categoryPath(categories, slidable_id).some(({ id }) => id === category.id);
  const filter: EventFilter =
    path.length === 1 ? { sport: category.sport } : { category: category.alias || String(category.id) };
  const favourites = useFavourites();
  const live = useViews(filter, "live");
  const upcoming = useViews(filter, "upcoming");
  const finished = useViews(filter, "finished");
  const failed = [live, upcoming, finished].find((one) => one.failed);
  const categorySlides = slides.filter(isOfCategory);
  const everything = (
    <ButtonLink look="quiet" icon="chevronLeft" to={linkTo("home")}>
      {t("team.everything")}
    </ButtonLink>
  );
  const none = live.events.length + upcoming.events.length + finished.events.length === 0;
  const waiting = none && !(live.done && upcoming.done && finished.done);
  return (
    <>
      {categorySlides.length > 0 && <Featured slides={categorySlides} />}
      <div className="wrap">
        <div className="section stack--tight stack">
          <div>{everything}</div>
          <div className="home__subject">
            {categorySlides.length === 0 ? (
              <h1 className="type-page">{name}</h1>
            ) : (
              <h2 className="type-page">{name}</h2>
            )}
            <Heart name={name} {...favourites("category", category.id)} />
          </div>
        </div>
        {waiting ? (
          <div className="section">
            <CardSkeletons count={4} rail />
          </div>
        ) : none && failed ? (
          <FailedRead onRetry={failed.retry} />
        ) : none ? (
          <div className="section">
            <Empty title={t("home.emptyTitle")} text={t("home.emptyText")} />
          </div>
        ) : (
          <>
            <RailSection id="live" title={t("home.liveNow")} total={live.total} events={live.events} />
            <UpcomingSection id="upcoming" title={t("home.upcoming")} events={upcoming.events} />
            <RailSection id="finished" title={t("home.onDemand")} total={finished.total} events={finished.events} />
          </>
        )}
      </div>
    </>
  );
}
