import { MINUTE, SECOND } from "../lib/time";
import { defineMachine } from "./machine";

/** The sender of one kind of outbox item. Only the holder of the browser's lock runs it. */
export type OutboxRun =
  | { readonly at: "idle" }
  /** `again`: an item was stored meanwhile. */
  | { readonly at: "draining"; readonly attempt: number; readonly again: boolean }
  /** `until`: Unix milliseconds. `asked`: the server requested the wait, and nothing shortens it. */
  | { readonly at: "waiting"; readonly attempt: number; readonly until: number; readonly asked?: true };

export interface OutboxRunFacts {
  nudged: undefined;
  drainBegan: undefined;
  drained: undefined;
  deferred: { until: number; asked?: true };
}

export const DRAIN_BACKOFF = { base: 2 * SECOND, cap: 5 * MINUTE } as const;

const drain = {
  to: ["draining"],
  move: (state: OutboxRun): OutboxRun => ({
    at: "draining",
    attempt: state.at === "idle" ? 0 : state.attempt,
    again: false,
  }),
} as const;

const retryNow = {
  to: ["draining", "waiting"],
  move: (state: Extract<OutboxRun, { at: "waiting" }>): OutboxRun => (state.asked ? state : drain.move(state)),
} as const;

/** `hurries`: a new item is tried at once even while earlier ones back off, unless the server requested the wait. */
const sender = (name: string, retriesAtOnce: boolean) =>
  defineMachine<OutboxRun, OutboxRunFacts>(
    name,
    { at: "idle" },
    {
      // Without Web Locks each tab sends, and receives the facts of other tabs' rounds.
      idle: { nudged: "ignore", drainBegan: drain, drained: "ignore", deferred: "ignore" },
      draining: {
        nudged: { to: ["draining"], move: (state) => (state.again ? state : { ...state, again: true }) },
        // A reloaded page, the end of a wait, or a further round for items stored meanwhile.
        drainBegan: drain,
        // Items stored meanwhile need a round of their own.
        drained: {
          to: ["idle", "draining"],
          move: (state) => (state.again ? { ...state, again: false } : { at: "idle" }),
        },
        deferred: {
          to: retriesAtOnce ? ["waiting", "draining"] : ["waiting"],
          move: ({ attempt, again }, { until, asked }) =>
            retriesAtOnce && again && !asked
              ? { at: "draining", attempt: attempt + 1, again: false }
              : { at: "waiting", attempt: attempt + 1, until, ...(asked && { asked }) },
        },
      },
      waiting: {
        nudged: retriesAtOnce ? retryNow : "ignore",
        drainBegan: drain,
        drained: "ignore",
        deferred: "ignore",
      },
    },
  );

/** Sends favourites and clips, which the viewer sees. */
export const outboxRun = sender("outbox", true);
/** Sends analytics. A new event doesn't shorten a wait, and none of them delays favourites and clips. */
export const analyticsOutboxRun = sender("analyticsOutbox", false);

/** One item, by its id. */
export type OutboxItemState =
  | { readonly at: "queued" }
  | { readonly at: "sending" }
  | { readonly at: "done" }
  /** It will never be accepted. */
  | { readonly at: "dead"; readonly code: string; readonly message: string };

export interface OutboxItemFacts {
  itemSending: { key: string };
  itemDone: { key: string };
  itemDead: { key: string; code: string; message: string };
  /** It returns to the queue. */
  itemReturned: { key: string };
}

const done = { to: ["done"], move: (): OutboxItemState => ({ at: "done" }) } as const;
const fail = {
  to: ["dead"],
  move: (_: OutboxItemState, { code, message }: OutboxItemFacts["itemDead"]): OutboxItemState => ({
    at: "dead",
    code,
    message,
  }),
} as const;

export const outboxItem = defineMachine<OutboxItemState, OutboxItemFacts>(
  "outboxItem",
  { at: "queued" },
  {
    queued: {
      itemSending: { to: ["sending"], move: () => ({ at: "sending" }) },
      // Sent by the service worker while no page was open.
      itemDone: done,
      itemDead: fail,
      itemReturned: "ignore",
    },
    sending: {
      itemSending: "ignore",
      itemDone: done,
      itemDead: fail,
      itemReturned: { to: ["queued"], move: () => ({ at: "queued" }) },
    },
    // It leaves the slice.
    done: {},
    dead: { itemSending: "ignore", itemDone: "ignore", itemDead: "ignore", itemReturned: "ignore" },
  },
);
