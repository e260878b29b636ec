import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { Button } from "../../components/basic/Button";
import { Empty } from "../../components/basic/Empty";
import { Icon } from "../../components/basic/Icon";
import { RowSkeletons } from "../../components/basic/Skeleton";
import type { SearchResults } from "../../contracts/resources";
import { useTexts } from "../../i18n/useTexts";
import { selectOnline } from "../../slices/network";
import { selectAnswer } from "../../slices/transient";
import { FailedRead } from "../FailedRead";
import { useIsReturn } from "../shell/entryState";
import { useDocumentTitle } from "../shell/useDocumentTitle";
import { useAppSelector } from "../state";
import { useAccount } from "../useAccount";
import { useRead } from "../useRead";
import { Nothing } from "./Nothing";
import { Recent } from "./Recent";
import { Results } from "./Results";
import { useRecentSearches } from "./recent";
import { useSearchRecord } from "./useSearchRecord";
import { useStoredResults } from "./useStoredResults";
import "./Search.css";

/** Debounce of the search field, in milliseconds. */
const REST = 200;
/** Maximum query length, as in the worker. */
const MAX_QUERY_LENGTH = 200;
/** Elements that arrow keys stop at below the field. */
const HITS = "[data-stop], .search__chip, .search__recent";

const trimmed = (text: string) => text.trim().replace(/\s+/g, " ");

/** The field's text: the address's query, then what is typed. The address is updated after the debounce. */
function useQuery() {
  const [params, setParams] = useSearchParams();
  const query = trimmed(params.get("q") ?? "");
  const [typed, setTyped] = useState({ query, text: query });
  // The address changed: a recent search, or back navigation.
  if (typed.query !== query) {
    setTyped({ query, text: trimmed(typed.text) === query ? typed.text : query });
  }
  const { text } = typed;
  const search = (next: string) => setParams(next === "" ? {} : { q: next }, { replace: true });
  useEffect(() => {
    if (trimmed(text) === query) return undefined;
    const debounce = setTimeout(() => search(trimmed(text)), REST);
    return () => clearTimeout(debounce);
  });
  return { query, text, type: (next: string) => setTyped({ query, text: next }), search };
}

/** Results for the address's query; the previous results until they have loaded. */
function useResults(q: string) {
  const args = { q: useAccount().standIn(q) };
  const { at, retry } = useRead(q === "" ? null : { method: "api.search", args });
  const answer = useAppSelector(selectAnswer("api.search", args));
  const [shown, setShown] = useState<{ q: string; answer: SearchResults } | null>(null);
  if (answer !== null && shown?.answer !== answer) setShown({ q, answer });
  if (q === "") return { at, retry, shown: null, waits: false };
  return { at, retry, shown: answer === null ? shown : { q, answer }, waits: answer === null };
}

/** Searches the whole channel: games, teams, schools, videos, clips and pages (SEARCH-3). */
export function Component() {
  const { t } = useTexts();
  const navigate = useNavigate();
  const online = useAppSelector(selectOnline);
  const page = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const { query, text, type, search } = useQuery();
  const { at, retry, shown, waits } = useResults(query);
  const recent = useRecentSearches();
  const failed = waits && at === "failed";
  const stored = useStoredResults(failed && !online ? query : null);
  useDocumentTitle(query === "" ? t("find.title") : t("find.titleOf", { words: query }));
  const isReturn = useIsReturn();
  useSearchRecord(query, waits ? null : (shown?.answer ?? null));
  // The focus would scroll a page that the viewer returns to.
  useEffect(() => {
    if (!isReturn) field.current?.focus();
  }, [isReturn]);

  const close = () => {
    const entry: unknown = window.history.state;
    const isFirst = !(typeof entry === "object" && entry !== null && "idx" in entry && Number(entry.idx) > 0);
    navigate(isFirst ? "/" : (-1 as never));
  };
  const first = () => page.current?.querySelector<HTMLElement>(".search__results [data-stop]");
  const press = (event: KeyboardEvent<HTMLElement>) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.nativeEvent.isComposing) return;
    const isField = event.target === field.current;
    if (event.key === "Escape") {
      event.preventDefault();
      if (!isField) field.current?.focus();
      else if (text !== "") type("");
      else close();
    }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const hits = [...(page.current?.querySelectorAll<HTMLElement>(HITS) ?? [])];
    const here = hits.findIndex(
      (hit) => hit === event.target || hit.closest("[data-card]")?.contains(event.target as Node),
    );
    const next = here + (event.key === "ArrowDown" ? 1 : -1);
    const target = isField && event.key === "ArrowUp" ? undefined : next < 0 ? field.current : hits[next];
    if (!target) return;
    event.preventDefault();
    target.focus();
    target.scrollIntoView({ block: "nearest" });
  };

  return (
    <div className="wrap search" ref={page} onKeyDown={press}>
      <h1 className="visually-hidden">{t("find.title")}</h1>
      <search>
        <form
          className="search__bar"
          onSubmit={(event) => {
            event.preventDefault();
            const now = trimmed(field.current?.value ?? text);
            if (now !== query) return search(now);
            recent.keep(now);
            return first()?.click();
          }}
        >
          <span className="search__box">
            <Icon name="search" />
            <input
              ref={field}
              className="search__field"
              type="search"
              name="q"
              enterKeyHint="search"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={MAX_QUERY_LENGTH}
              aria-label={t("find.field")}
              aria-describedby="search-keys"
              placeholder={t("find.placeholder")}
              value={text}
              onChange={(event) => type(event.target.value)}
            />
            {text !== "" && (
              <Button
                look="quiet"
                icon="close"
                label={t("find.clearField")}
                onClick={() => {
                  type("");
                  field.current?.focus();
                }}
              />
            )}
          </span>
          <Button look="quiet" onClick={close}>
            {t("find.close")} <kbd className="search__key">Esc</kbd>
          </Button>
        </form>
      </search>
      <div className="search__columns">
        <div className="search__results" aria-busy={waits && !failed ? true : undefined}>
          {stored ? (
            <>
              <p className="muted type-meta" role="status">
                {t("find.storedOnly")}
              </p>
              <Results key={query} query={query} results={stored} onOpen={() => recent.keep(query)} />
            </>
          ) : failed && !online ? (
            <Empty title={t("find.offlineTitle")} text={t("find.offlineText")}>
              <Button onClick={retry}>{t("common.retry")}</Button>
            </Empty>
          ) : failed ? (
            <FailedRead onRetry={retry} />
          ) : query === "" ? (
            <Nothing query="" />
          ) : shown === null ? (
            <RowSkeletons count={6} />
          ) : (
            <Results key={shown.q} query={shown.q} results={shown.answer} onOpen={() => recent.keep(shown.q)} />
          )}
        </div>
        <aside className="search__aside">
          <Recent {...recent} />
          <p className="search__keys muted type-meta" id="search-keys">
            <span>
              <kbd className="search__key">/</kbd> {t("find.keySearch")}
            </span>
            <span>
              <kbd className="search__key">↑</kbd> <kbd className="search__key">↓</kbd> {t("find.keyMove")}
            </span>
            <span>
              <kbd className="search__key">Enter</kbd> {t("find.keyOpen")}
            </span>
          </p>
        </aside>
      </div>
    </div>
  );
}
