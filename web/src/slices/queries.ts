import { createAction, original, type Reducer } from "@reduxjs/toolkit";
import type { Id } from "../contracts/resources";
import { SECOND } from "../lib/time";
import { type Calls, methods, type PortErrorJson } from "../ports/ask";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";
import { siteActions } from "./site";
import { startupActions } from "./startup";

/** Reads that screens ask for by name. */
export type ReadMethod = Extract<
  keyof Calls,
  | "api.getBootstrap"
  | "api.getParticipants"
  | "api.getUserAccess"
  | "api.getPage"
  | "api.listSlides"
  | "api.listPopups"
  | "api.getGeo"
  | "api.getCustomForm"
  | "api.listEvents"
  | "api.listEventStarts"
  | "api.listHomeRails"
  | "api.listFavouriteEvents"
  | "api.listEventsWithClip"
  | "api.getEvent"
  | "api.listPackages"
  | "api.getPackage"
  | "api.listPackageContents"
  | "api.listSubscriptions"
  | "api.listOrders"
  | "api.getOrder"
  | "api.listCards"
  | "api.listTransactions"
  | "api.listSessions"
  | "api.listVodRails"
  | "api.listVodItems"
  | "api.getVodItem"
  | "api.listVodCategories"
  | "api.search"
  | "api.searchVod"
  | "api.listEventClips"
  | "api.listVodClips"
  | "api.listUserClips"
  | "api.getSharedClip"
  | "api.listFavourites"
  | "api.listPlayback"
>;

/** One read: a port's method and what it is asked with. */
export type Query = { [M in ReadMethod]: { method: M; args: Calls[M]["args"] } }[ReadMethod];
/** A read and what came of it; when it was asked for and answered, Unix milliseconds. */
export type QueryAnswer = {
  [M in ReadMethod]: {
    method: M;
    args: Calls[M]["args"];
    answer: Calls[M]["answer"];
    asked_at: number;
    /** Who asked, of what is the viewer's own. */
    user_id?: Id;
    at: number;
    /** Perhaps what a cache had kept. */
    old?: true;
  };
}[ReadMethod];

/** The same read has the same key, however it was put together. */
export function queryKey({ method, args }: Query): string {
  // The union of methods meets the union of their arguments: each pair was made together.
  return `${method}:${methods[method].identity(args as never)}`;
}

/** One read that something on the page is waiting for or showing. */
export interface QueryState {
  readonly query: Query;
  /** How many places of the page want it. */
  readonly uses: number;
  readonly at: "idle" | "loading" | "loaded" | "failed";
  readonly error: PortErrorJson | null;
  /** A cache answered while it was under way: what came may be what was kept. */
  readonly old?: true;
}

export type QueriesState = { readonly [key: string]: QueryState };

const put = (state: QueriesState, query: Query, change: (now: QueryState) => QueryState): QueriesState => {
  const key = queryKey(query);
  return { ...state, [key]: change(state[key] ?? { query, uses: 0, at: "idle", error: null }) };
};

/** Reads that no place wants any more are forgotten; their data stays where it is. */
const forget = (state: QueriesState): QueriesState =>
  Object.fromEntries(Object.entries(state).filter(([, { uses, at }]) => uses > 0 || at === "loading"));

/** Which answer came from the cache is not told. */
const mark = (state: QueriesState): QueriesState =>
  Object.fromEntries(
    Object.entries(state).map(([key, now]) => [key, now.at === "loading" ? { ...now, old: true as const } : now]),
  );

const read = <P>(fact: string) => createAction<P>(`queries/${fact}`);

export const queryActions = {
  /** A place of the page wants it. */
  wanted: read<Query>("wanted"),
  /** A place no longer wants it: without any, a read under way is aborted. */
  left: read<Query>("left"),
  /** The viewer asks again. */
  retryPressed: read<Query>("retryPressed"),
  began: read<Query>("began"),
  loaded: read<QueryAnswer>("loaded"),
  failed: read<{ query: Query; error: PortErrorJson }>("failed"),
  aborted: read<Query>("aborted"),
  /** What is kept of it is fresh: nothing is asked. */
  satisfied: read<Query>("satisfied"),
  /** What was read for another viewer, or before a purchase, is old: everything in use is read again. */
  invalidated: createAction("queries/invalidated"),
};

const NONE: QueriesState = {};

const reducer: Reducer<QueriesState> = (state = NONE, action) => {
  if (queryActions.wanted.match(action)) return put(state, action.payload, (now) => ({ ...now, uses: now.uses + 1 }));
  if (queryActions.left.match(action)) {
    if (!(queryKey(action.payload) in state)) return state;
    return forget(put(state, action.payload, (now) => ({ ...now, uses: Math.max(0, now.uses - 1) })));
  }
  if (queryActions.began.match(action))
    return put(state, action.payload, ({ query, uses }) => ({ query, uses, at: "loading", error: null }));
  if (startupActions.wentStale.match(action)) return mark(state);
  if (queryActions.loaded.match(action)) {
    const key = queryKey(action.payload as Query);
    const now = state[key];
    return now === undefined ? state : forget({ ...state, [key]: { ...now, at: "loaded", error: null } });
  }
  if (queryActions.failed.match(action)) {
    const { query, error } = action.payload;
    return forget(put(state, query, (now) => ({ ...now, at: "failed", error })));
  }
  if (queryActions.satisfied.match(action))
    return put(state, action.payload, (now) => ({ ...now, at: "loaded", error: null }));
  // A page that is loaded anew has no places yet.
  if (siteActions.opened.match(action)) return NONE;
  if (queryActions.aborted.match(action)) return forget(put(state, action.payload, (now) => ({ ...now, at: "idle" })));
  return state;
};

export const queries = { name: "queries", reducer };

/** What is kept is fresh for this long (LIM: store persistence). */
export const FRESH_FOR = 60 * SECOND;
/** The most reads whose age is remembered. */
const REMEMBERED = 200;

export type FreshnessState = { readonly [key: string]: number };

/** When each read was last answered, Unix milliseconds. Kept with the data that it tells the age of. */
export const freshness = createSlice({
  name: "freshness",
  initialState: {} as FreshnessState,
  reducers: {},
  extraReducers: (builder) =>
    builder
      .addCase(queryActions.loaded, (state, { payload }) => {
        // What a cache had kept is as old as it was.
        if (payload.old) return state;
        const next = { ...original(state), [queryKey(payload as Query)]: payload.at };
        const entries = Object.entries(next);
        if (entries.length <= REMEMBERED) return next;
        return Object.fromEntries(entries.sort(([, a], [, b]) => b - a).slice(0, REMEMBERED));
      })
      .addCase(queryActions.invalidated, () => ({})),
});

/** A negative age (the clock was set back) is stale. */
export function isFresh(answeredAt: number | undefined, now: number): boolean {
  if (answeredAt === undefined) return false;
  const age = now - answeredAt;
  return age >= 0 && age < FRESH_FOR;
}

const IDLE = { at: "idle", error: null } as const;

/** How a read stands on this page. */
export const selectQuery =
  (query: Query) =>
  ({ queries: state }: RootState): { at: QueryState["at"]; error: PortErrorJson | null } =>
    state[queryKey(query)] ?? IDLE;
/** When a read was last answered, Unix milliseconds; null: never. */
export const selectAnsweredAt =
  (query: Query) =>
  ({ freshness: state }: RootState): number | null =>
    state[queryKey(query)] ?? null;
