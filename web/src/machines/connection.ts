import type { ResumePosition, Stream } from "../contracts/sync";
import { SECOND } from "../lib/time";
import { defineMachine } from "./machine";

interface Position {
  /** How far the streams have been read; null before the first welcome. */
  readonly resume: ResumePosition | null;
}

/** SYNC. The status socket. Times are Unix milliseconds. */
export type Connection = Position &
  (
    | { readonly at: "offline" }
    | { readonly at: "connecting"; readonly attempt: number; readonly giveUpAt: number }
    /** `deadAt`: when silence means a dead socket. */
    | { readonly at: "live"; readonly resume: ResumePosition; readonly pingMs: number; readonly deadAt: number }
    | { readonly at: "backoff"; readonly attempt: number; readonly until: number }
    | { readonly at: "draining"; readonly until: number }
  );

export interface ConnectionFacts {
  /** The page that held the socket is gone. */
  left: undefined;
  wentOffline: undefined;
  cameOnline: undefined;
  /** The page became visible or was shown again from the cache. */
  cameBack: undefined;
  connectBegan: { attempt: number; give_up_at: number };
  /** `dead_at`: when silence means a dead socket. What the welcome brings is folded before. */
  welcomed: { position: ResumePosition; ping_ms: number; dead_at: number };
  connectFailed: { code: string; attempt: number; until: number };
  /** A status frame took the stream to `seq`. */
  advanced: { stream: Stream; seq: number };
  /** `at`: when the ping came. */
  pinged: { at: number };
  /** `code`: the socket's close code, or why it was given up. */
  closed: { code: number };
  lost: { attempt: number; until: number };
  drainAsked: { window_ms: number };
  drainBegan: { until: number };
  /** Another user's stream: the position of the old one is void. */
  positionDropped: undefined;
}

/** Two missed pings are a dead socket. */
export const MISSED_PINGS = 2;
export const CONNECT_PATIENCE = 10 * SECOND;
export const RECONNECT = { base: SECOND, cap: 30 * SECOND } as const;

const offline = {
  to: ["offline"],
  move: ({ resume }: Position): Connection => ({ at: "offline", resume }),
} as const;

const begin = {
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

/** What the browser or a closing socket may still tell in any state. */
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
      connectBegan: begin,
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
      connectBegan: begin,
      positionDropped: drop("backoff"),
    },
    draining: {
      ...background,
      left: offline,
      wentOffline: offline,
      connectBegan: begin,
      advanced: {
        to: ["draining"],
        move: (state, fact) => ({ ...state, resume: state.resume && advance(state.resume, fact) }),
      },
      positionDropped: drop("draining"),
    },
  },
);

/** A live socket belongs to the old user: it is left, and the next one starts from nothing. */
function offlineWithoutPosition() {
  return { to: ["offline"], move: (): Connection => ({ at: "offline", resume: null }) } as const;
}
