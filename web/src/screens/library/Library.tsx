import { useEffect, useState } from "react";
import { shallowEqual } from "react-redux";
import { useSearchParams } from "react-router";
import { Button } from "../../components/basic/Button";
import { Empty } from "../../components/basic/Empty";
import { CardSkeletons } from "../../components/basic/Skeleton";
import { Field } from "../../components/form/Field";
import { Rail } from "../../components/rail/Rail";
import { SectionHeading } from "../../components/text/SectionHeading";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { selectVodById, selectVodList, selectVodRails } from "../../slices/vod";
import { FailedRead } from "../FailedRead";
import { useDocumentTitle } from "../shell/useDocumentTitle";
import { useAppSelector } from "../state";
import { useRead, useReads } from "../useRead";
import { VodCard } from "./VodCard";
import "./Library.css";

/** How many results one page of a search has (VOD-2). */
const PAGE = 10;
/** Letters are looked for once typing rests this long, milliseconds. */
const REST = 350;
const RAILS = { method: "api.listVodRails", args: {} } as const;

function Rails() {
  const { t } = useTexts();
  const { at, retry } = useRead(RAILS);
  const rails = useAppSelector(selectVodRails);
  const byId = useAppSelector(selectVodById);
  if (rails.length === 0) {
    if (at === "failed") return <FailedRead onRetry={retry} />;
    if (at !== "loaded")
      return (
        <div className="section">
          <CardSkeletons count={4} rail />
        </div>
      );
    return (
      <div className="section">
        <Empty title={t("library.none")} text={t("library.noneText")} />
      </div>
    );
  }
  return rails.map((rail) => (
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
}

function Results({ title }: { readonly title: string }) {
  const { t } = useTexts();
  const formats = useFormats();
  const [pages, setPages] = useState(1);
  const queries = Array.from(
    { length: pages },
    (_, page) =>
      ({ method: "api.searchVod", args: { title, limit: PAGE, offset: page * PAGE, sort_field: "date" } }) as const,
  );
  const { at, retry } = useReads(queries);
  const known = useAppSelector((state) => queries.flatMap((query) => selectVodList(query)(state) ?? []), shallowEqual);
  const byId = useAppSelector(selectVodById);
  const items = [...new Set(known.flatMap(({ ids }) => ids))].flatMap((id) => byId[id] ?? []);
  const total = known[0]?.total ?? 0;
  if (items.length === 0) {
    if (at === "failed") return <FailedRead onRetry={retry} />;
    if (at !== "loaded") return <CardSkeletons count={4} />;
    return <Empty title={t("library.emptyTitle", { title })} text={t("library.emptyText")} />;
  }
  return (
    <>
      <p className="muted type-meta figures" role="status">
        {t("library.results", { count: total })}
      </p>
      <ul className="card-grid">
        {items.map((item) => (
          <li key={item.id}>
            <VodCard item={item} />
          </li>
        ))}
      </ul>
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

/** The video library: its rails, and a search by title (VOD). */
export function Component() {
  const { t } = useTexts();
  const [params, setParams] = useSearchParams();
  const title = (params.get("title") ?? "").trim();
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
      {title === "" ? <Rails /> : <Results key={title} title={title} />}
    </div>
  );
}
