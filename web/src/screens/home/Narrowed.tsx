import { ButtonLink } from "../../components/basic/Button";
import { Empty } from "../../components/basic/Empty";
import { CardSkeletons } from "../../components/basic/Skeleton";
import { Heart } from "../../components/event/TeamCard";
import type { EventFilter, FavouriteType, Id, Slide, StreamStatus } from "../../contracts/resources";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { selectCategories, selectGroups, selectMainSlides, selectParticipants } from "../../slices/catalogue";
import { selectEventList, selectEventsById } from "../../slices/events";
import { categoryPath, useEventView } from "../eventViews";
import { useAppSelector } from "../state";
import { useFavourites } from "../useFavourites";
import { useRead } from "../useRead";
import { Featured } from "./Featured";
import { RailSection, UpcomingSection } from "./HomeRails";

/** What the home page is narrowed to, as its address says it. */
export interface Narrowing {
  readonly kind: "group" | "participant" | "sport";
  /** An alias, a name or an id. */
  readonly value: string;
}

interface Named {
  readonly id: number;
  readonly name: string;
  readonly alias: string;
}

const find = <T extends Named>(items: readonly T[], value: string): T | undefined =>
  items.find(({ id, name, alias }) => alias === value || name === value || String(id) === value);

const LIMIT = 12;

function useStatus(filter: EventFilter | null, stream_status: StreamStatus) {
  const query =
    filter && ({ method: "api.listEvents", args: { filter: { ...filter, stream_status, limit: LIMIT } } } as const);
  const { at } = useRead(query);
  const list = useAppSelector((state) => (query === null ? null : selectEventList(query.args.filter)(state)));
  const byId = useAppSelector(selectEventsById);
  const view = useEventView();
  const events = (list?.ids ?? []).flatMap((id) => {
    const event = byId[id];
    return event?.stream_status === stream_status ? [view(event)] : [];
  });
  return { events, total: list?.total ?? 0, done: at === "loaded" || at === "failed" || list !== null };
}

/** The home page of one school, team or sport. */
export function Narrowed({ narrowing }: { readonly narrowing: Narrowing }) {
  const { t } = useTexts();
  const groups = useAppSelector(selectGroups);
  const participants = useAppSelector(selectParticipants);
  const categories = useAppSelector(selectCategories);
  const slides = useAppSelector(selectMainSlides);
  const subject: {
    name: string;
    favourite: readonly [FavouriteType, Id];
    filter: EventFilter;
    slide: (slide: Slide) => boolean;
  } | null = (() => {
    switch (narrowing.kind) {
      case "group": {
        const group = find(groups, narrowing.value);
        return group
          ? {
              name: `${group.name} ${group.nickname}`.trim(),
              favourite: ["group", group.id],
              filter: { group: group.alias },
              slide: (slide) => slide.slidable_type === "group" && slide.slidable_id === group.id,
            }
          : null;
      }
      case "participant": {
        const team = find(participants, narrowing.value);
        return team
          ? {
              name: team.name,
              favourite: ["participant", team.id],
              filter: { participant: team.id },
              slide: (slide) => slide.slidable_type === "participant" && slide.slidable_id === team.id,
            }
          : null;
      }
      case "sport": {
        const category = find(categories, narrowing.value);
        return category
          ? {
              name: category.name,
              favourite: ["category", category.id],
              filter: { sport: category.sport },
              slide: ({ slidable_type, slidable_id }) =>
                slidable_type === "category" &&
                slidable_id !== undefined &&
                categoryPath(categories, slidable_id)[0]?.id === category.id,
            }
          : null;
      }
      default:
        return narrowing.kind satisfies never;
    }
  })();
  const favourites = useFavourites();
  const live = useStatus(subject?.filter ?? null, "live");
  const upcoming = useStatus(subject?.filter ?? null, "upcoming");
  const finished = useStatus(subject?.filter ?? null, "finished");
  const own = subject ? slides.filter(subject.slide) : [];
  const everything = (
    <ButtonLink look="quiet" icon="chevronLeft" to={linkTo("home")}>
      {t("home.everything")}
    </ButtonLink>
  );
  const none = live.events.length + upcoming.events.length + finished.events.length === 0;
  const waiting = subject !== null && none && !(live.done && upcoming.done && finished.done);
  return (
    <>
      {own.length > 0 && <Featured slides={own} />}
      <div className="wrap">
        <div className="section stack--tight stack">
          <div>{everything}</div>
          {subject && (
            <div className="home__subject">
              {own.length === 0 ? (
                <h1 className="type-page">{subject.name}</h1>
              ) : (
                <h2 className="type-page">{subject.name}</h2>
              )}
              <Heart name={subject.name} {...favourites(...subject.favourite)} />
            </div>
          )}
        </div>
        {waiting ? (
          <div className="section">
            <CardSkeletons count={4} rail />
          </div>
        ) : none ? (
          <div className="section">
            <Empty title={t("home.emptyTitle")} text={t("home.emptyText")} />
          </div>
        ) : (
          <>
            <RailSection id="live" title={t("home.liveNow")} {...live} />
            <UpcomingSection id="upcoming" title={t("home.upcoming")} events={upcoming.events} />
            <RailSection id="finished" title={t("home.onDemand")} {...finished} />
          </>
        )}
      </div>
    </>
  );
}
