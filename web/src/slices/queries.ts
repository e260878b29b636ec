import { createAction, original, type Reducer } from "@reduxjs/toolkit";
import type { Id } from "../contracts/resources";
import { SECOND } from "../lib/time";
import { type Calls, methods, type PortErrorJson } from "../ports/world";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";
import { siteActions } from "./site";
import { startupActions } from "./startup";

/** Reads that screens request by name. */
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

/** One read: a port's method and its arguments. */
export type Query = { [M in ReadMethod]: { method: M; args: Calls[M]["args"] } }[ReadMethod];
/** A read with its result, and its request and answer times in Unix milliseconds. */
export type QueryAnswer = {
  [M in ReadMethod]: {
    method: M;
    args: Calls[M]["args"];
    answer: Calls[M]["answer"];
    asked_at: number;
    /** The requesting user, for personal data. */
    user_id?: Id;
    at: number;
    /** May come from a cache. */
    old?: true;
  };
}[ReadMethod];

/** Equal reads have equal keys, however their arguments are ordered. */
export function queryKey({ method, args }: Query): string {
  // The union loses the link between method and arguments; each pair was created together.
  return `${method}:${methods[method].identity(args as never)}`;
}

/** One read that a component displays or waits for. */
export interface QueryState {
  readonly query: Query;
  /** Number of components that use the read. */
  readonly uses: number;
  readonly at: "idle" | "loading" | "loaded" | "failed";
  readonly error: PortErrorJson | null;
  /** A cache answered meanwhile, so this answer may be a cached one. */
  readonly old?: true;
}

export type QueriesState = { readonly [key: string]: QueryState };

const put = (state: QueriesState, query: Query, change: (now: QueryState) => QueryState): QueriesState => {
  const key = queryKey(query);
  return { ...state, [key]: change(state[key] ?? { query, uses: 0, at: "idle", error: null }) };
};

/** Forgets reads that no component uses; their data stays in its slice. */
const forget = (state: QueriesState): QueriesState =>
  Object.fromEntries(Object.entries(state).filter(([, { uses, at }]) => uses > 0 || at === "loading"));

/** The notice doesn't say which answer came from the cache. */
const mark = (state: QueriesState): QueriesState =>
  Object.fromEntries(
    Object.entries(state).map(([key, now]) => [key, now.at === "loading" ? { ...now, old: true as const } : now]),
  );

const read = <P>(fact: string) => createAction<P>(`queries/${fact}`);

export const queryActions = {
  /** A component starts to use the read. */
  wanted: read<Query>("wanted"),
  /** A component stops using the read; the last one aborts a running read. */
  left: read<Query>("left"),
  /** The viewer retries. */
  retryPressed: read<Query>("retryPressed"),
  began: read<Query>("began"),
  loaded: read<QueryAnswer>("loaded"),
  failed: read<{ query: Query; error: PortErrorJson }>("failed"),
  aborted: read<Query>("aborted"),
  /** The stored data is fresh, so nothing is read. */
  satisfied: read<Query>("satisfied"),
  /** Data of another viewer, or from before a purchase, is stale: all used reads are repeated. */
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
  // A reloaded page has no components yet.
  if (siteActions.opened.match(action)) return NONE;
  if (queryActions.aborted.match(action)) return forget(put(state, action.payload, (now) => ({ ...now, at: "idle" })));
  return state;
};

export const queries = { name: "queries", reducer };

/** Lifetime of fresh data (LIM: store persistence). */
export const FRESH_FOR = 60 * SECOND;
/** Limit of remembered read times. */
const MAX_CACHED_QUERIES = 200;

export type FreshnessState = { readonly [key: string]: number };

/** Time of each read's last answer, in Unix milliseconds. Stored with the data it dates. */
export const freshness = createSlice({
  name: "freshness",
  initialState: {} as FreshnessState,
  reducers: {},
  extraReducers: (builder) =>
    builder
      .addCase(queryActions.loaded, (state, { payload }) => {
        // A cached answer is as old as before.
        if (payload.old) return state;
        const next = { ...original(state), [queryKey(payload as Query)]: payload.at };
        const entries = Object.entries(next);
        if (entries.length <= MAX_CACHED_QUERIES) return next;
        return Object.fromEntries(entries.sort(([, a], [, b]) => b - a).slice(0, MAX_CACHED_QUERIES));
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

/** The status of a read on this page. */
export const selectQuery =
  (query: Query) =>
  ({ queries: state }: RootState): { at: QueryState["at"]; error: PortErrorJson | null } =>
    state[queryKey(query)] ?? IDLE;
/** Time of a read's last answer, in Unix milliseconds; null: never. */
export const selectAnsweredAt =
  (query: Query) =>
  ({ freshness: state }: RootState): number | null =>
    state[queryKey(query)] ?? null;
