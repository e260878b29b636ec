import { createAction, createSelector, type Reducer } from "@reduxjs/toolkit";
import type { OutboxKind, OutboxOutcome, OutboxPayloads } from "../contracts/outbox";
import type { Id } from "../contracts/resources";
import { step } from "../machines/machine";
import { analyticsOutboxRun, type OutboxItemState, type OutboxRun, outboxItem, outboxRun } from "../machines/outbox";
import { selectUserId } from "./auth";
import type { RootState } from "./index";
import { machineSlice } from "./machineSlice";
import { queryActions, type ReadMethod } from "./queries";

/** The kinds that the viewer sees; analytics pass through unseen. */
export type SeenKind = Exclude<OutboxKind, "analytics">;

/** An item that waits, as the site shows it. */
export type SeenItem = {
  [K in SeenKind]: {
    readonly kind: K;
    readonly payload: OutboxPayloads[K];
    readonly user_id?: Id;
    /** When it was made, Unix milliseconds. */
    readonly at: number;
    readonly state: OutboxItemState;
  };
}[SeenKind];

export interface OutboxState {
  readonly run: OutboxRun;
  /** By item id, oldest first. What is done goes; what died stays until another page writes for the viewer. */
  readonly items: { readonly [id: string]: SeenItem };
  /** Ids of which the end was told before the beginning, which another tab tells. The latest of them. */
  readonly ended: readonly string[];
  /** When the latest of those that ended did, Unix milliseconds. */
  readonly endedAt: number;
}

type Queued = {
  [K in SeenKind]: { id: string; kind: K; payload: OutboxPayloads[K]; user_id?: Id; at: number };
}[SeenKind];

type Answered = {
  [K in SeenKind]: {
    id: string;
    kind: K;
    payload: OutboxPayloads[K];
    /** Absent: nobody's, or told before it was told whose it is. */
    user_id?: Id;
    /** When it ended, Unix milliseconds; absent: before that was told. */
    at?: number;
    /** It was told before, to a page that may have missed it. */
    again?: true;
    outcome: OutboxOutcome;
  };
}[SeenKind];

const run = machineSlice(outboxRun);

/** Analytics pass through beside what the viewer sees: each is sent, and waits, in its own time. */
export const analyticsOutbox = machineSlice(analyticsOutboxRun);
export const analyticsOutboxActions = analyticsOutbox.actions;

/** Put by sagas: an item is about to be stored. What it changes is shown from now on. */
const itemQueued = createAction<Queued>("outbox/itemQueued");
/** Input (origin `storage`): an item is on its way. */
const itemSending = createAction<{ id: string }>("outbox/itemSending");
/** Input (origin `storage`): an item left the outbox. Not of analytics: nobody watches those. */
const itemAnswered = createAction<Answered>("outbox/itemAnswered");
/** Input (origin `storage`): an item went back to wait. */
const itemReturned = createAction<{ id: string }>("outbox/itemReturned");
/** Put by sagas: an item died, and the viewer was told why. */
const itemDismissed = createAction<{ id: string }>("outbox/itemDismissed");

export const outboxActions = { ...run.actions, itemQueued, itemSending, itemAnswered, itemReturned, itemDismissed };

/** What comes in from outside by itself. */
export const outboxInputs = {
  nudged: run.actions.nudged,
  analyticsNudged: analyticsOutboxActions.nudged,
  itemSending,
  itemAnswered,
  itemReturned,
} as const;

/** The most items that are shown, and ends that are remembered. The outbox itself has its own limit. */
const SHOWN = 100;

const initialState: OutboxState = { run: outboxRun.initial, items: {}, ended: [], endedAt: 0 };

function moved(state: OutboxState, id: string, move: (now: OutboxItemState) => OutboxItemState): OutboxState {
  const item = state.items[id];
  if (item === undefined) return state;
  const next = move(item.state);
  if (next.at !== "done") return { ...state, items: { ...state.items, [id]: { ...item, state: next } } };
  const { [id]: _, ...items } = state.items;
  return { ...state, items };
}

const reducer: Reducer<OutboxState> = (state = initialState, action) => {
  if (itemQueued.match(action)) {
    const { id, ...item } = action.payload;
    if (state.ended.includes(id)) return state;
    const items = Object.entries({ ...state.items, [id]: { ...item, state: outboxItem.initial } as SeenItem });
    return { ...state, items: Object.fromEntries(items.slice(-SHOWN)) };
  }
  if (itemSending.match(action)) {
    const { id } = action.payload;
    return moved(state, id, (now) => step(outboxItem, now, "itemSending", { key: id }));
  }
  if (itemReturned.match(action)) {
    const { id } = action.payload;
    return moved(state, id, (now) => step(outboxItem, now, "itemReturned", { key: id }));
  }
  if (itemAnswered.match(action)) {
    const { id, outcome, at = 0 } = action.payload;
    // Whoever queued it may tell of that only now, and a page that follows shows again what it posted.
    const ended = [...state.ended.filter((other) => other !== id), id].slice(-SHOWN);
    return moved({ ...state, ended, endedAt: Math.max(state.endedAt, at) }, id, (now) =>
      outcome.outcome === "done"
        ? step(outboxItem, now, "itemDone", { key: id })
        : step(outboxItem, now, "itemDead", { key: id, code: outcome.code, message: outcome.message }),
    );
  }
  if (itemDismissed.match(action)) {
    const { [action.payload.id]: item, ...items } = state.items;
    return item?.state.at === "dead" ? { ...state, items } : state;
  }
  const next = run.reducer(state.run, action);
  return next === state.run ? state : { ...state, run: next };
};

export const outbox = { name: "outbox", reducer };

export const selectOutboxRun = ({ outbox: { run: state } }: RootState): OutboxRun => state;
export const selectAnalyticsOutboxRun = ({ analyticsOutbox: state }: RootState): OutboxRun => state;
export const selectOutboxItems = ({ outbox: { items } }: RootState) => items;
/** What lists what the viewer makes. */
export const LISTS: Readonly<Record<SeenKind, readonly ReadMethod[]>> = {
  "favourite.add": ["api.listFavourites"],
  "favourite.remove": ["api.listFavourites"],
  "clip.create": ["api.listUserClips", "api.listEventClips", "api.listVodClips"],
};
const LISTING: ReadonlySet<ReadMethod> = new Set(Object.values(LISTS).flat());

/** Whether another tab's list is older than what became of a deed since: it would take that back. */
export const isOutdated = ({ outbox: { endedAt } }: RootState, action: { readonly type: string }): boolean =>
  queryActions.loaded.match(action) && LISTING.has(action.payload.method) && action.payload.asked_at <= endedAt;
/** Whether an action tells what became of a deed of somebody who is not here. */
export const isAnswerToAnother = (state: RootState, action: { readonly type: string }): boolean =>
  itemAnswered.match(action) && action.payload.user_id !== undefined && action.payload.user_id !== selectUserId(state);
/** Whether an action tells of an end that is known here: it was stored, and so sent, once more under its id. */
export const isKnownEnd = ({ outbox: { ended } }: RootState, action: { readonly type: string }): boolean =>
  itemAnswered.match(action) && ended.includes(action.payload.id);
/** Whether an action tells once more what became of a deed. */
export const isToldAgain = (action: { readonly type: string }): boolean =>
  itemAnswered.match(action) && action.payload.again === true;
/** Those of the viewer who is here. What another one left waiting is nobody's to see. */
export const selectOwnItems = createSelector([selectOutboxItems, selectUserId], (items, userId): readonly SeenItem[] =>
  Object.values(items).filter(({ user_id = null }) => user_id === userId),
);
/** How many things of the viewer's wait to be sent. */
export const selectWaitingCount = (state: RootState): number =>
  selectOwnItems(state).filter((item) => item.state.at !== "dead").length;
