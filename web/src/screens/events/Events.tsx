import { useDeferredValue } from "react";
import { Link, Navigate, useLocation, useSearchParams } from "react-router";
import { Badge } from "../../components/basic/Badge";
import { Button, ButtonLink } from "../../components/basic/Button";
import { Empty } from "../../components/basic/Empty";
import { Icon } from "../../components/basic/Icon";
import { CardSkeletons, RowSkeletons } from "../../components/basic/Skeleton";
import { Tabs } from "../../components/basic/Tabs";
import { EventsByDay } from "../../components/event/EventsByDay";
import { FilterBar } from "../../components/form/FilterBar";
import { ViewSwitch } from "../../components/form/ViewSwitch";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { selectLoggedIn } from "../../slices/auth";
import {
  selectCategories,
  selectGroups,
  selectLocations,
  selectPackagesById,
  selectParticipants,
} from "../../slices/catalogue";
import { namedCategory, nameOfPath } from "../eventViews";
import { FailedRead } from "../FailedRead";
import { HideScores } from "../HideScores";
import { LoginFirst } from "../LoginFirst";
import { useEntryState } from "../shell/entryState";
import { useDocumentTitle } from "../shell/useDocumentTitle";
import { useAppSelector } from "../state";
import { type ListView, useListView } from "../useListView";
import { DayStrip } from "./DayStrip";
import { startOf } from "./dates";
import { FILTERS, hasDays, optionsOf, PAGE, SUBJECTS, type Tab, tabLink, tabOf } from "./eventFilters";
import { LiveNow } from "./LiveNow";
import { type Days, useDays } from "./useDays";
import { useEventPages, useTotal } from "./useEventPages";
import { useQueryChange } from "./useQueryChange";
import "./Events.css";

const LIST = { path: "M4 6.500h16M4 12h16M4 17.500h16" };
const CARDS = { path: "M4 4.500h6.500V11H4zM13.500 4.500H20V11h-6.500zM4 14h6.500v6H4zM13.500 14H20v6h-6.500z" };

/** Titles by tab, which distinguish the list's four addresses (ROUTE-4). */
const TITLES = {
  all: "list.title",
  upcoming: "list.upcoming",
  live: "list.live",
  finished: "list.onDemand",
  user: "list.myFavourites",
  passes: "list.myPasses",
} as const satisfies { readonly [tab in Tab]: string };

/** All events: live, upcoming and on demand, by day, with filters, as rows or cards (LIST-1, LIST-2, LIST-6). */
export function Component() {
  const { pathname } = useLocation();
  const [params] = useSearchParams();
  const tab = tabOf(pathname, params);
  const loggedIn = useAppSelector(selectLoggedIn);
  // Library videos have their own page.
  if (params.get("type") === "vod") return <Navigate to={linkTo("vodLibrary")} replace />;
  if (!loggedIn && (tab === "user" || tab === "passes")) return <LoginFirst />;
  return <Schedule tab={tab} />;
}

function EventTabs({ tab, all }: { readonly tab: Tab; readonly all: number | null }) {
  const { t } = useTexts();
  const formats = useFormats();
  const [params] = useSearchParams();
  const loggedIn = useAppSelector(selectLoggedIn);
  const undated = new URLSearchParams(params);
  undated.delete("date");
  const totals = {
    live: useTotal("live", undated),
    upcoming: useTotal("upcoming", undated),
    finished: useTotal("finished", undated),
  };
  const sum =
    totals.live === null || totals.upcoming === null || totals.finished === null
      ? all
      : totals.live + totals.upcoming + totals.finished;
  const count = (total: number | null) => (total === null ? undefined : formats.count(total));
  const one = (key: Tab, label: string, total: number | null = null) => ({
    key,
    to: tabLink(key, params),
    label: key === "live" && totals.live ? <Badge look="live">{label}</Badge> : label,
    count: count(total),
    current: tab === key,
  });
  return (
    <Tabs
      label={t("list.tabs")}
      tabs={[
        one("all", t("list.all"), sum),
        one("live", t("list.live"), totals.live),
        one("upcoming", t("list.upcoming"), totals.upcoming),
        one("finished", t("list.onDemand"), totals.finished),
        ...(loggedIn ? [one("user", t("list.myFavourites")), one("passes", t("list.myPasses"))] : []),
      ]}
    />
  );
}

/** The list's filters, stored in the address (LIST-3). */
function useFilters() {
  const { t } = useTexts();
  const [params] = useSearchParams();
  const set = useQueryChange();
  const categories = useAppSelector(selectCategories);
  const locations = useAppSelector(selectLocations);
  const participants = useAppSelector(selectParticipants);
  const groups = useAppSelector(selectGroups);
  const packages = useAppSelector(selectPackagesById);
  const genders = (["female", "male"] as const).map((value) => ({ value, label: t(`event.genderName.${value}`) }));
  const filters = FILTERS.map((key) => ({
    key,
    label: t(`list.${key}`),
    value: params.get(key) ?? "",
    options: optionsOf(key, categories, locations, params, genders),
  }));
  // Links of a team, school or division add a filter that can be removed.
  const team = participants.find(({ id }) => String(id) === params.get("team"));
  const school = groups.find(({ id, alias }) => [String(id), alias].includes(params.get("school") ?? ""));
  const pass = packages[Number(params.get("package"))];
  const division = nameOfPath(namedCategory(categories, params.get("division") ?? ""));
  const subjects = [
    ...(team ? [{ key: "team", label: t("find.teams"), value: String(team.id), name: team.name }] : []),
    ...(school
      ? [{ key: "school", label: t("find.schools"), value: params.get("school") ?? "", name: school.name }]
      : []),
    ...(division
      ? [{ key: "division", label: t("list.division"), value: params.get("division") ?? "", name: division }]
      : []),
    ...(pass ? [{ key: "package", label: t("orders.type.package"), value: String(pass.id), name: pass.name }] : []),
  ].map(({ name, ...filter }) => ({ ...filter, options: [{ value: filter.value, label: name }] }));
  return {
    filters: [...subjects, ...filters],
    filtered: [...subjects, ...filters].some(({ value }) => value !== ""),
    // A city of another state would have no results.
    change: (key: string, value: string) => set(key === "state" ? { state: value, city: "" } : { [key]: value }),
    clear: () => set(Object.fromEntries([...FILTERS, ...SUBJECTS].map((key) => [key, ""]))),
  };
}

function Schedule({ tab }: { readonly tab: Tab }) {
  const { t } = useTexts();
  const [params] = useSearchParams();
  const [view, setView] = useListView();
  const days = useDays(tab);
  const { filters, filtered, change, clear } = useFilters();
  const total = useTotal(tab === "all" || tab === "user" || tab === "passes" ? "upcoming" : tab, params);
  const matches = tab === "all" ? days.total : total;
  useDocumentTitle(t(TITLES[tab]));
  return (
    <div className="wrap events">
      <div className="events__head">
        <h1 className="type-page">{t("list.title")}</h1>
        <HideScores />
      </div>
      <EventTabs tab={tab} all={days.total} />
      <div className="events__bar">
        <FilterBar
          filters={filters}
          onChange={change}
          onClear={clear}
          fits={matches === null ? t("list.applyUnknown") : t("list.apply", { count: matches })}
        />
        <ViewSwitch
          label={t("list.view")}
          views={[
            { value: "table", label: t("list.table"), icon: LIST },
            { value: "cards", label: t("list.cards"), icon: CARDS },
          ]}
          value={view}
          onChange={setView}
        />
      </div>
      {hasDays(tab) && <DayStrip days={days} onDay={(date) => change("date", date ?? "")} />}
      {tab === "all" && days.named === null && <LiveNow view={view} />}
      {/* Another tab, filter or day starts at its first page. */}
      <EventList key={`${tab}?${params}`} tab={tab} days={days} view={view} onClear={filtered ? clear : null} />
    </div>
  );
}

interface EventListProps {
  readonly tab: Tab;
  readonly days: Days;
  readonly view: ListView;
  /** Clears the filters; null if there are none. */
  readonly onClear: (() => void) | null;
}

/** Links to the previous day with events. */
function Earlier({ days: { counts, today, named } }: { readonly days: Days }) {
  const { t } = useTexts();
  const formats = useFormats();
  const { pathname } = useLocation();
  const [params] = useSearchParams();
  const before = [...(counts?.keys() ?? [])]
    .filter((day) => day < (named ?? today))
    .sort()
    .at(-1);
  // Reserves the line's space before its content is known, so that the list doesn't shift.
  if (before === undefined) return counts === null ? <p className="events__earlier" /> : null;
  const to = new URLSearchParams(params);
  to.set("date", before);
  return (
    <p>
      <Link className="events__earlier" to={`${pathname}?${to}`}>
        <Icon name="chevronDown" size="small" />
        {t("schedule.earlier", {
          day: formats.longDay(startOf(before)),
          what: t("day.count", { count: counts?.get(before) ?? 0 }),
        })}
      </Link>
    </p>
  );
}

/** Says that the selected day has no events, and when the next one is. */
function NothingThen({ days: { counts, named } }: { readonly days: Days }) {
  const { t } = useTexts();
  const formats = useFormats();
  if (named === null || counts === null || counts.has(named)) return null;
  const next = [...counts.keys()].filter((day) => day > named).sort()[0];
  return (
    <p className="muted events__none" role="status">
      {t("schedule.noneOn", { day: formats.longDay(startOf(named)) })}{" "}
      {next !== undefined && t("schedule.nextOn", { day: formats.longDay(startOf(next)) })}
    </p>
  );
}

function EventList({ tab, days, view, onClear }: EventListProps) {
  const { t } = useTexts();
  const formats = useFormats();
  const [given] = useSearchParams();
  const [pages, setPages] = useEntryState<number>("pages", 1);
  const params = new URLSearchParams(given);
  if (tab === "all" && days.named === null) params.set("date", days.today);
  const { events: all, total, at, retry } = useEventPages(tab, params, pages);
  // Live events are displayed above.
  const today = tab === "all" && days.named === null;
  const visible = today ? all.filter(({ status }) => status !== "live") : all;
  const events = useDeferredValue(visible);
  const hasEvents = events.length > 0;
  const empty = onClear
    ? t("list.emptyFiltered")
    : tab === "passes"
      ? t("list.emptyPasses")
      : tab === "user"
        ? t("list.emptyFavourites")
        : t(`list.emptyTitle.${tab === "all" ? "upcoming" : tab}`);
  return (
    <>
      {tab === "all" && <Earlier days={days} />}
      {tab !== "finished" && <NothingThen days={days} />}
      {hasEvents ? (
        <>
          <EventsByDay events={events} view={view} marksNow={tab === "all"} />
          {total === null && at === "failed" && (
            <p className="muted type-meta" role="status">
              {t("list.storedOnly")}
            </p>
          )}
          {total !== null && (
            <div className="events__more">
              {total > pages * PAGE && (
                <Button busy={at === "loading"} onClick={() => setPages(pages + 1)}>
                  {hasDays(tab)
                    ? t(tab === "finished" ? "schedule.earlierDays" : "schedule.laterDays")
                    : t("common.showMore")}
                </Button>
              )}
              <p className="muted type-meta figures" role="status">
                {t("common.shown", {
                  shown: formats.count(events.length),
                  total: formats.count(Math.max(today ? total - (all.length - events.length) : total, events.length)),
                })}
              </p>
            </div>
          )}
        </>
      ) : at === "failed" ? (
        <FailedRead onRetry={retry} />
      ) : at !== "loaded" || visible.length > 0 ? (
        view === "cards" ? (
          <CardSkeletons count={8} />
        ) : (
          <RowSkeletons count={8} />
        )
      ) : (
        <Empty title={empty} text={t("list.emptyText")}>
          {onClear ? (
            <Button onClick={onClear}>{t("list.clear")}</Button>
          ) : tab === "passes" ? (
            <ButtonLink to={linkTo("packages")}>{t("list.seePackages")}</ButtonLink>
          ) : (
            tab === "user" && <ButtonLink to={linkTo("favourites")}>{t("list.chooseFavourites")}</ButtonLink>
          )}
        </Empty>
      )}
    </>
  );
}
