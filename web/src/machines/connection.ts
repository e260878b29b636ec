import type { ResumePosition, Stream } from "../contracts/sync";
import { SECOND } from "../lib/time";
import { defineMachine } from "./machine";

interface Position {
  /** The last stream position read; null before the first welcome. */
  readonly resume: ResumePosition | null;
}

/** SYNC. The status socket. Times are Unix milliseconds. */
export type Connection = Position &
  (
    | { readonly at: "offline" }
    | { readonly at: "connecting"; readonly attempt: number; readonly giveUpAt: number }
    /** `deadAt`: the time from which silence means a dead socket. */
    | { readonly at: "live"; readonly resume: ResumePosition; readonly pingMs: number; readonly deadAt: number }
    | { readonly at: "backoff"; readonly attempt: number; readonly until: number }
    | { readonly at: "draining"; readonly until: number }
  );

export interface ConnectionFacts {
  /** The page that held the socket is gone. */
  left: undefined;
  wentOffline: undefined;
  cameOnline: undefined;
  /** The page became visible or returned from the back-forward cache. */
  cameBack: undefined;
  connectBegan: { attempt: number; give_up_at: number };
  /** `dead_at`: the time from which silence means a dead socket. The resources of the welcome are folded before. */
  welcomed: { position: ResumePosition; ping_ms: number; dead_at: number };
  connectFailed: { code: string; attempt: number; until: number };
  /** A status frame advanced the stream to `seq`. */
  advanced: { stream: Stream; seq: number };
  /** `at`: the ping's arrival. */
  pinged: { at: number };
  /** `code`: the socket's close code, or the reason for abandoning it. */
  closed: { code: number };
  lost: { attempt: number; until: number };
  drainAsked: { window_ms: number };
  drainBegan: { until: number };
  /** The user changed, which voids the position. */
  positionDropped: undefined;
}

/** Two missed pings mean a dead socket. */
export const MISSED_PINGS = 2;
export const CONNECT_TIMEOUT = 10 * SECOND;
export const RECONNECT = { base: SECOND, cap: 30 * SECOND } as const;

const offline = {
  to: ["offline"],
  move: ({ resume }: Position): Connection => ({ at: "offline", resume }),
} as const;

const connect = {
  to: ["connecting"],
  move: ({ resume }: Position, { attempt, give_up_at }: ConnectionFacts["connectBegan"]): Connection => ({
    at: "connecting",
    resume,
    attempt,
    giveUpAt: give_up_at,
  }),
} as const;

const wait = {
  to: ["backoff"],
  move: ({ resume }: Position, { attempt, until }: { attempt: number; until: number }): Connection => ({
    at: "backoff",
    resume,
    attempt,
    until,
  }),
} as const;

function advance(at: ResumePosition, { stream, seq }: ConnectionFacts["advanced"]): ResumePosition {
  return stream === "user"
    ? { ...at, user_seq: Math.max(seq, at.user_seq ?? 0) }
    : { ...at, channel_seq: Math.max(seq, at.channel_seq) };
}

/** Facts of the browser or a closing socket that can arrive in any state. */
const background = {
  cameOnline: "ignore",
  cameBack: "ignore",
  advanced: "ignore",
  pinged: "ignore",
  closed: "ignore",
  drainAsked: "ignore",
} as const;

const drop = <A extends "offline" | "backoff" | "draining">(at: A) => ({
  to: [at],
  move: (state: Extract<Connection, { at: A }>): Connection => ({ ...state, resume: null }),
});

export const connection = defineMachine<Connection, ConnectionFacts>(
  "connection",
  { at: "offline", resume: null },
  {
    offline: {
      ...background,
      left: "ignore",
      wentOffline: "ignore",
      connectBegan: connect,
      positionDropped: drop("offline"),
    },
    connecting: {
      ...background,
      left: offline,
      wentOffline: offline,
      welcomed: {
        to: ["live"],
        move: (_, { position, ping_ms, dead_at }) => ({
          at: "live",
          resume: position,
          pingMs: ping_ms,
          deadAt: dead_at,
        }),
      },
      connectFailed: wait,
    },
    live: {
      ...background,
      left: offline,
      wentOffline: offline,
      advanced: { to: ["live"], move: (state, fact) => ({ ...state, resume: advance(state.resume, fact) }) },
      pinged: {
        to: ["live"],
        move: (state, { at }) => ({ ...state, deadAt: at + MISSED_PINGS * state.pingMs }),
      },
      lost: wait,
      drainBegan: { to: ["draining"], move: ({ resume }, { until }) => ({ at: "draining", resume, until }) },
      positionDropped: offlineWithoutPosition(),
    },
    backoff: {
      ...background,
      left: offline,
      wentOffline: offline,
      connectBegan: connect,
      positionDropped: drop("backoff"),
    },
    draining: {
      ...background,
      left: offline,
      wentOffline: offline,
      connectBegan: connect,
      advanced: {
        to: ["draining"],
        move: (state, fact) => ({ ...state, resume: state.resume && advance(state.resume, fact) }),
      },
      positionDropped: drop("draining"),
    },
  },
);

/** A live socket belongs to the old user: it is closed, and the next one starts without a position. */
function offlineWithoutPosition() {
  return { to: ["offline"], move: (): Connection => ({ at: "offline", resume: null }) } as const;
}
