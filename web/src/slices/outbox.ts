import { createAction, createSelector, type Reducer } from "@reduxjs/toolkit";
import type { OutboxKind, OutboxOutcome, OutboxPayloads } from "../contracts/outbox";
import type { Id } from "../contracts/resources";
import { step } from "../machines/machine";
import { analyticsOutboxRun, type OutboxItemState, type OutboxRun, outboxItem, outboxRun } from "../machines/outbox";
import { selectUserId } from "./auth";
import type { RootState } from "./index";
import { machineSlice } from "./machineSlice";
import { queryActions, type ReadMethod } from "./queries";

/** The kinds that the viewer sees, all but analytics. */
export type VisibleKind = Exclude<OutboxKind, "analytics">;

/** A waiting item as displayed. */
export type VisibleItem = {
  [K in VisibleKind]: {
    readonly kind: K;
    readonly payload: OutboxPayloads[K];
    readonly user_id?: Id;
    /** Creation time, in Unix milliseconds. */
    readonly at: number;
    readonly state: OutboxItemState;
  };
}[VisibleKind];

export interface OutboxState {
  readonly run: OutboxRun;
  /** By item id, oldest first. Completed items are removed; failed ones stay until another page becomes the leader. */
  readonly items: { readonly [id: string]: VisibleItem };
  /** Ids of the latest items whose end was reported, by another tab, before their start. */
  readonly ended: readonly string[];
  /** Time of the latest end, in Unix milliseconds. */
  readonly endedAt: number;
}

type Queued = {
  [K in VisibleKind]: { id: string; kind: K; payload: OutboxPayloads[K]; user_id?: Id; at: number };
}[VisibleKind];

type Answered = {
  [K in VisibleKind]: {
    id: string;
    kind: K;
    payload: OutboxPayloads[K];
    /** Absent: anonymous, or reported by an older version without users. */
    user_id?: Id;
    /** Time of the end, in Unix milliseconds; absent in reports of older versions. */
    at?: number;
    /** A repeated report, for a page that may have missed the first. */
    again?: true;
    outcome: OutboxOutcome;
  };
}[VisibleKind];

const run = machineSlice(outboxRun);

/** Analytics are sent and delayed independently of favourites and clips. */
export const analyticsOutbox = machineSlice(analyticsOutboxRun);
export const analyticsOutboxActions = analyticsOutbox.actions;

/** Put by sagas: an item is about to be stored. Its change is displayed from now on. */
const itemQueued = createAction<Queued>("outbox/itemQueued");
/** Input (origin `storage`): an item is being sent. */
const itemSending = createAction<{ id: string }>("outbox/itemSending");
/** Input (origin `storage`): an item left the outbox. Not for analytics, which nobody watches. */
const itemAnswered = createAction<Answered>("outbox/itemAnswered");
/** Input (origin `storage`): an item returned to the queue. */
const itemReturned = createAction<{ id: string }>("outbox/itemReturned");
/** Put by sagas: an item failed and the viewer was notified. */
const itemDismissed = createAction<{ id: string }>("outbox/itemDismissed");

export const outboxActions = { ...run.actions, itemQueued, itemSending, itemAnswered, itemReturned, itemDismissed };

/** External inputs. */
export const outboxInputs = {
  nudged: run.actions.nudged,
  analyticsNudged: analyticsOutboxActions.nudged,
  itemSending,
  itemAnswered,
  itemReturned,
} as const;

/** Limit of displayed items and of remembered ends. The outbox has its own limit. */
const DISPLAY_LIMIT = 100;

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
    const items = Object.entries({ ...state.items, [id]: { ...item, state: outboxItem.initial } as VisibleItem });
    return { ...state, items: Object.fromEntries(items.slice(-DISPLAY_LIMIT)) };
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
    // The start may be reported only now, or replayed by a follower from its posted intents.
    const ended = [...state.ended.filter((other) => other !== id), id].slice(-DISPLAY_LIMIT);
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
/** The lists that contain the viewer's own items. */
export const LISTS: Readonly<Record<VisibleKind, readonly ReadMethod[]>> = {
  "favourite.add": ["api.listFavourites"],
  "favourite.remove": ["api.listFavourites"],
  "clip.create": ["api.listUserClips", "api.listEventClips", "api.listVodClips"],
};
const LISTING: ReadonlySet<ReadMethod> = new Set(Object.values(LISTS).flat());

/** Whether another tab's list was read before a later outcome, which it would revert. */
export const isOutdated = ({ outbox: { endedAt } }: RootState, action: { readonly type: string }): boolean =>
  queryActions.loaded.match(action) && LISTING.has(action.payload.method) && action.payload.asked_at <= endedAt;
/** Whether an action reports an outcome of another user's item. */
export const isAnswerToAnother = (state: RootState, action: { readonly type: string }): boolean =>
  itemAnswered.match(action) && action.payload.user_id !== undefined && action.payload.user_id !== selectUserId(state);
/** Whether an action reports an end that is recorded: the item was stored, and sent, again under its id. */
export const isRecordedEnd = ({ outbox: { ended } }: RootState, action: { readonly type: string }): boolean =>
  itemAnswered.match(action) && ended.includes(action.payload.id);
/** Whether an action repeats an outcome. */
export const isRepeated = (action: { readonly type: string }): boolean =>
  itemAnswered.match(action) && action.payload.again === true;
/** The current viewer's items. Another user's waiting items stay hidden. */
export const selectViewerItems = createSelector(
  [selectOutboxItems, selectUserId],
  (items, userId): readonly VisibleItem[] => Object.values(items).filter(({ user_id = null }) => user_id === userId),
);
/** The number of the viewer's waiting items. */
export const selectWaitingCount = (state: RootState): number =>
  selectViewerItems(state).filter((item) => item.state.at !== "dead").length;
