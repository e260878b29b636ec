import { useState } from "react";
import { Navigate, useLocation, useSearchParams } from "react-router";
import { Badge } from "../../components/basic/Badge";
import { Button, ButtonLink } from "../../components/basic/Button";
import { Empty } from "../../components/basic/Empty";
import { CardSkeletons, RowSkeletons } from "../../components/basic/Skeleton";
import { Tabs } from "../../components/basic/Tabs";
import { EventsByDay } from "../../components/event/EventsByDay";
import { FilterBar } from "../../components/form/FilterBar";
import { ViewSwitch } from "../../components/form/ViewSwitch";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { selectLoggedIn } from "../../slices/auth";
import { selectCategories, selectLocations } from "../../slices/catalogue";
import { FailedRead } from "../FailedRead";
import { LoginFirst } from "../LoginFirst";
import { useDocumentTitle } from "../shell/useDocumentTitle";
import { useAppSelector } from "../state";
import { useListView } from "../useListView";
import { FILTERS, optionsOf, PAGE, type Tab, tabLink, tabOf } from "./eventFilters";
import { useEventPages, useTotal } from "./useEventPages";
import "./Events.css";

/** All events: live, upcoming and on demand, with filters, as cards or as a table (LIST-1, LIST-2). */
export function Component() {
  const { pathname } = useLocation();
  const [params] = useSearchParams();
  const tab = tabOf(pathname, params);
  const loggedIn = useAppSelector(selectLoggedIn);
  // The other kind of video on demand has shelves of its own.
  if (params.get("type") === "vod") return <Navigate to={linkTo("vodLibrary")} replace />;
  if (!loggedIn && (tab === "user" || tab === "passes")) return <LoginFirst />;
  // Another tab or filter begins at its first page.
  return <EventList key={`${tab}?${params}`} tab={tab} />;
}

function EventTabs({ tab, params }: { readonly tab: Tab; readonly params: URLSearchParams }) {
  const { t } = useTexts();
  const formats = useFormats();
  const loggedIn = useAppSelector(selectLoggedIn);
  const totals = {
    live: useTotal("live", params),
    upcoming: useTotal("upcoming", params),
    finished: useTotal("finished", params),
  };
  const count = (total: number | null) => (total === null ? undefined : formats.count(total));
  const own = loggedIn
    ? [
        { key: "user", to: tabLink("user", params), label: t("list.myFavourites"), current: tab === "user" },
        { key: "passes", to: tabLink("passes", params), label: t("list.myPasses"), current: tab === "passes" },
      ]
    : [];
  return (
    <Tabs
      label={t("list.tabs")}
      tabs={[
        {
          key: "live",
          to: tabLink("live", params),
          label: totals.live ? <Badge look="live">{t("list.live")}</Badge> : t("list.live"),
          count: count(totals.live),
          current: tab === "live",
        },
        {
          key: "upcoming",
          to: tabLink("upcoming", params),
          label: t("list.upcoming"),
          count: count(totals.upcoming),
          current: tab === "upcoming",
        },
        {
          key: "finished",
          to: tabLink("finished", params),
          label: t("list.onDemand"),
          count: count(totals.finished),
          current: tab === "finished",
        },
        ...own,
      ]}
    />
  );
}

function EventList({ tab }: { readonly tab: Tab }) {
  const { t } = useTexts();
  const formats = useFormats();
  const [params, setParams] = useSearchParams();
  const categories = useAppSelector(selectCategories);
  const locations = useAppSelector(selectLocations);
  const [view, setView] = useListView();
  const [pages, setPages] = useState(1);
  const { events, total, at, retry } = useEventPages(tab, params, pages);
  useDocumentTitle(t("list.title"));

  const genders = (["female", "male"] as const).map((value) => ({ value, label: t(`event.genderName.${value}`) }));
  const filters = FILTERS.map((key) => ({
    key,
    label: t(`list.${key}`),
    value: params.get(key) ?? "",
    options: optionsOf(key, categories, locations, params, genders),
  }));
  const filtered = filters.some(({ value }) => value !== "");
  const change = (key: string, value: string) =>
    setParams((now) => {
      const next = new URLSearchParams(now);
      if (value === "") next.delete(key);
      else next.set(key, value);
      // A city of another state would find nothing.
      if (key === "state") next.delete("city");
      return next;
    });
  const clear = () =>
    setParams((now) => {
      const next = new URLSearchParams(now);
      for (const key of FILTERS) next.delete(key);
      return next;
    });
  const empty = filtered
    ? t("list.emptyFiltered")
    : tab === "passes"
      ? t("list.emptyPasses")
      : tab === "user"
        ? t("list.emptyFavourites")
        : t(`list.emptyTitle.${tab}`);

  return (
    <div className="wrap events">
      <h1 className="type-page">{t("list.title")}</h1>
      <EventTabs tab={tab} params={params} />
      <div className="events__bar">
        <FilterBar filters={filters} onChange={change} onClear={clear} fits={t("list.apply", { count: total ?? 0 })} />
        <ViewSwitch
          label={t("list.view")}
          views={[
            { value: "cards", label: t("list.cards"), icon: "cards" },
            { value: "table", label: t("list.table"), icon: "table" },
          ]}
          value={view}
          onChange={setView}
        />
      </div>
      {events.length > 0 ? (
        <>
          <EventsByDay events={events} view={view} />
          {total !== null && (
            <div className="events__more">
              {total > pages * PAGE && (
                <Button busy={at === "loading"} onClick={() => setPages(pages + 1)}>
                  {t("common.showMore")}
                </Button>
              )}
              <p className="muted type-meta figures" role="status">
                {t("common.shown", {
                  shown: formats.count(events.length),
                  total: formats.count(Math.max(total, events.length)),
                })}
              </p>
            </div>
          )}
        </>
      ) : at === "failed" ? (
        <FailedRead onRetry={retry} />
      ) : at !== "loaded" ? (
        view === "cards" ? (
          <CardSkeletons count={8} />
        ) : (
          <RowSkeletons count={8} />
        )
      ) : (
        <Empty title={empty} text={t("list.emptyText")}>
          {filtered ? (
            <Button onClick={clear}>{t("list.clear")}</Button>
          ) : tab === "passes" ? (
            <ButtonLink to={linkTo("packages")}>{t("list.seePackages")}</ButtonLink>
          ) : (
            tab === "user" && <ButtonLink to={linkTo("favourites")}>{t("list.chooseFavourites")}</ButtonLink>
          )}
        </Empty>
      )}
    </div>
  );
}
