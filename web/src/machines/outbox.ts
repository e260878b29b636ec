import { MINUTE, SECOND } from "../lib/time";
import { defineMachine } from "./machine";

/** The sender of one kind of what waits in the outbox. The browser's lock holder alone runs it. */
export type OutboxRun =
  | { readonly at: "idle" }
  /** `again`: something was stored meanwhile. */
  | { readonly at: "draining"; readonly attempt: number; readonly again: boolean }
  /** `until`: Unix milliseconds. `asked`: the server asked for it, and nothing cuts it short. */
  | { readonly at: "waiting"; readonly attempt: number; readonly until: number; readonly asked?: true };

export interface OutboxRunFacts {
  /** There is something to send. */
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

const hurry = {
  to: ["draining", "waiting"],
  move: (state: Extract<OutboxRun, { at: "waiting" }>): OutboxRun => (state.asked ? state : drain.move(state)),
} as const;

/** `hurries`: what was stored last is tried at once, though what was tried before has to wait; but not while the server asked for quiet. */
const sender = (name: string, hurries: boolean) =>
  defineMachine<OutboxRun, OutboxRunFacts>(
    name,
    { at: "idle" },
    {
      // Without Web Locks each tab sends, and hears of the others' rounds.
      idle: { nudged: "ignore", drainBegan: drain, drained: "ignore", deferred: "ignore" },
      draining: {
        nudged: { to: ["draining"], move: (state) => (state.again ? state : { ...state, again: true }) },
        // A page that was loaded anew, a wait that is over, or a further round for what was stored meanwhile.
        drainBegan: drain,
        // What was stored meanwhile wants a round of its own.
        drained: {
          to: ["idle", "draining"],
          move: (state) => (state.again ? { ...state, again: false } : { at: "idle" }),
        },
        deferred: {
          to: hurries ? ["waiting", "draining"] : ["waiting"],
          move: ({ attempt, again }, { until, asked }) =>
            hurries && again && !asked
              ? { at: "draining", attempt: attempt + 1, again: false }
              : { at: "waiting", attempt: attempt + 1, until, ...(asked && { asked }) },
        },
      },
      waiting: { nudged: hurries ? hurry : "ignore", drainBegan: drain, drained: "ignore", deferred: "ignore" },
    },
  );

/** Sends what the viewer sees: favourites and clips. */
export const outboxRun = sender("outbox", true);
/** Sends analytics: an event more is no reason to try sooner, and none of them holds up what the viewer sees. */
export const analyticsOutboxRun = sender("analyticsOutbox", false);

/** One item, keyed by its id. */
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
  /** It goes back to wait. */
  itemReturned: { key: string };
}

const done = { to: ["done"], move: (): OutboxItemState => ({ at: "done" }) } as const;
const dead = {
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
      // Sent by the service worker while no page was there.
      itemDone: done,
      itemDead: dead,
      itemReturned: "ignore",
    },
    sending: {
      itemSending: "ignore",
      itemDone: done,
      itemDead: dead,
      itemReturned: { to: ["queued"], move: () => ({ at: "queued" }) },
    },
    // It leaves the slice: nothing is told of it any more.
    done: {},
    dead: { itemSending: "ignore", itemDone: "ignore", itemDead: "ignore", itemReturned: "ignore" },
  },
);
