import { memo, Suspense, useDeferredValue, useEffect, useState } from "react";
import { shallowEqual } from "react-redux";
import { Link, Navigate, useSearchParams } from "react-router";
import { Button } from "../../components/basic/Button";
import { Empty } from "../../components/basic/Empty";
import { CardSkeletons } from "../../components/basic/Skeleton";
import { Field } from "../../components/form/Field";
import { Rail } from "../../components/rail/Rail";
import { SectionHeading } from "../../components/text/SectionHeading";
import type { VodCategory, VodItem } from "../../contracts/resources";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { folded } from "../../lib/folded";
import { linkTo } from "../../navigation";
import { selectOnline } from "../../slices/network";
import { selectVodById, selectVodCategories, selectVodList, selectVodRails } from "../../slices/vod";
import { EventsWithClips } from "../clips/EventsWithClips";
import { FailedRead } from "../FailedRead";
import { StaticBlock } from "../StaticBlock";
import { useEntryState } from "../shell/entryState";
import { useDocumentTitle } from "../shell/useDocumentTitle";
import { useAppSelector } from "../state";
import { useAccount } from "../useAccount";
import { useRead, useReads } from "../useRead";
import { VodCard } from "./VodCard";
import { VOD_RAILS } from "./vodView";
import "../../components/form/Filter.css";
import "./Library.css";

/** Results per page of a search (VOD-2). */
const PAGE = 10;
/** Debounce of the search field, in milliseconds. */
const REST = 350;
const CATEGORIES = { method: "api.listVodCategories", args: {} } as const;

const WAITS = (
  <div className="section">
    <CardSkeletons count={4} rail />
  </div>
);

function Rails() {
  const { at, retry } = useRead(VOD_RAILS);
  // Rendering is deferred in chunks, so that input is handled in between.
  const rails = useDeferredValue(useAppSelector(selectVodRails));
  const byId = useDeferredValue(useAppSelector(selectVodById));
  return <AllRails at={useDeferredValue(at)} rails={rails} byId={byId} retry={retry} />;
}

interface AllRailsProps extends Pick<ReturnType<typeof useRead>, "at" | "retry"> {
  readonly rails: ReturnType<typeof selectVodRails>;
  readonly byId: ReturnType<typeof selectVodById>;
}

/** Stored videos, for a list that can't be loaded offline; null if none match. */
function useStoredVideos(at: string, matches: (item: VodItem) => boolean): readonly VodItem[] | null {
  const online = useAppSelector(selectOnline);
  const byId = useAppSelector(selectVodById);
  if (online || at !== "failed") return null;
  const stored = Object.values(byId).filter(matches);
  return stored.length === 0 ? null : stored.toSorted((a, b) => b.date.localeCompare(a.date) || a.id - b.id);
}

function Stored({ items }: { readonly items: readonly VodItem[] }) {
  const { t } = useTexts();
  return (
    <>
      <p className="muted type-meta" role="status">
        {t("library.storedOnly")}
      </p>
      <Videos items={items} />
    </>
  );
}

function Videos({ items }: { readonly items: readonly VodItem[] }) {
  return (
    <ul className="card-grid">
      {items.map((item) => (
        <li key={item.id}>
          <VodCard item={item} />
        </li>
      ))}
    </ul>
  );
}

const AllRails = memo(function AllRails({ at, rails, byId, retry }: AllRailsProps) {
  const { t } = useTexts();
  const stored = useStoredVideos(at, () => true);
  if (rails.length === 0) {
    if (stored)
      return (
        <div className="section">
          <Stored items={stored} />
        </div>
      );
    if (at === "failed") return <FailedRead onRetry={retry} />;
    if (at !== "loaded") return WAITS;
    return (
      <div className="section">
        <Empty title={t("library.none")} text={t("library.noneText")} />
      </div>
    );
  }
  const sections = rails.map((rail) => (
    <section className="section" key={rail.id} aria-labelledby={`rail-${rail.id}`}>
      <SectionHeading id={`rail-${rail.id}`} title={rail.title} />
      <Rail labelledBy={`rail-${rail.id}`}>
        {rail.ids.flatMap((id) => {
          const item = byId[id];
          return item ? [<VodCard key={id} item={item} />] : [];
        })}
      </Rail>
    </section>
  ));
  return (
    <>
      {sections}
      <EventsWithClips />
    </>
  );
});

/** The list's filter: a title search or a category. */
type Wanted = { readonly title: string } | { readonly category: VodCategory };

function Results({ wanted }: { readonly wanted: Wanted }) {
  const { t } = useTexts();
  const formats = useFormats();
  const account = useAccount();
  const [pages, setPages] = useEntryState<number>("pages", 1);
  const queries = Array.from({ length: pages }, (_, page) => {
    const part = { limit: PAGE, offset: page * PAGE };
    return "title" in wanted
      ? ({
          method: "api.searchVod",
          args: { title: account.standIn(wanted.title), ...part, sort_field: "date" },
        } as const)
      : ({ method: "api.listVodItems", args: { category_id: wanted.category.id, ...part } } as const);
  });
  const { at, retry } = useReads(queries);
  const lists = useAppSelector((state) => queries.flatMap((query) => selectVodList(query)(state) ?? []), shallowEqual);
  const byId = useAppSelector(selectVodById);
  const items = [...new Set(lists.flatMap(({ ids }) => ids))].flatMap((id) => byId[id] ?? []);
  const total = lists[0]?.total ?? 0;
  const stored = useStoredVideos(at, ({ title, category_id }) =>
    "title" in wanted ? folded(title).includes(folded(wanted.title)) : category_id === wanted.category.id,
  );
  if (items.length === 0) {
    if (stored) return <Stored items={stored} />;
    if (at === "failed") return <FailedRead onRetry={retry} />;
    if (at !== "loaded") return <CardSkeletons count={4} />;
    return "title" in wanted ? (
      <Empty title={t("library.emptyTitle", { title: wanted.title })} text={t("library.emptyText")} />
    ) : (
      <Empty title={t("library.none")} text={t("library.noneText")} />
    );
  }
  return (
    <>
      <p className="muted type-meta figures" role="status">
        {t("library.results", { count: total })}
      </p>
      <Videos items={items} />
      {total > pages * PAGE && (
        <div className="library__more">
          <Button busy={at === "loading"} onClick={() => setPages(pages + 1)}>
            {t("common.showMore")}
          </Button>
          <p className="muted type-meta figures">
            {t("common.shown", { shown: formats.count(items.length), total: formats.count(total) })}
          </p>
        </div>
      )}
    </>
  );
}

/** The video library: rails and a title search (VOD). */
export function Component() {
  const { t } = useTexts();
  const [params, setParams] = useSearchParams();
  const title = (params.get("title") ?? "").trim();
  const online = useAppSelector(selectOnline);
  const { at } = useRead(CATEGORIES);
  const categories = useAppSelector(selectVodCategories);
  const category = categories.find(({ id }) => String(id) === params.get("category_id"));
  // Waits for the controls above the videos, which would otherwise shift them. Offline, nothing loads.
  const isReady = categories.length > 0 || at === "loaded" || at === "failed" || !online;
  const [typed, setTyped] = useState(title);
  useDocumentTitle(t("library.title"));
  useEffect(() => {
    const wanted = typed.trim();
    if (wanted === title) return;
    const timer = setTimeout(
      () =>
        setParams(wanted === "" ? {} : { title: wanted }, {
          replace: true,
          preventScrollReset: true,
        }),
      REST,
    );
    return () => clearTimeout(timer);
  }, [typed, title, setParams]);
  // External links name a video by its id (NAV-8).
  const video = Number(params.get("vod_id"));
  if (Number.isSafeInteger(video) && video > 0) return <Navigate to={linkTo("vodItem", { id: video })} replace />;
  return (
    <div className="wrap library">
      <div className="library__head">
        <h1 className="type-page">{t("library.title")}</h1>
        <search className="library__search">
          <Field
            type="search"
            label={<span className="visually-hidden">{t("library.search")}</span>}
            placeholder={t("library.search")}
            value={typed}
            maxLength={100}
            icon="search"
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        </search>
      </div>
      {isReady ? (
        <Suspense fallback={WAITS}>
          <StaticBlock name="library" />
          {title === "" && categories.length > 1 && (
            <nav className="clips__tags" aria-label={t("library.categories")}>
              {[null, ...categories].map((one) => (
                <Link
                  key={one?.id ?? 0}
                  className={category?.id === one?.id ? "filter filter--set" : "filter"}
                  aria-current={category?.id === one?.id ? "page" : undefined}
                  to={linkTo("vodLibrary", {}, { category_id: one?.id })}
                >
                  {one?.title ?? t("library.all")}
                </Link>
              ))}
            </nav>
          )}
          {title !== "" ? (
            <Results key={title} wanted={{ title }} />
          ) : category ? (
            <Results key={category.id} wanted={{ category }} />
          ) : (
            <Rails />
          )}
        </Suspense>
      ) : (
        WAITS
      )}
    </div>
  );
}
