import type { Fault } from "./faults";

/** MEDIA-6. What a player waits for while its stream does not come. */
export type Missing = "network" | "server" | "address" | "picture";

/**
 * How a player gets up again, beside what it shows: while a stream does not come, what was loaded before plays on.
 * Times are Unix milliseconds.
 */
export type Recovery =
  /** The stream comes. */
  | { readonly at: "clear"; readonly mends: readonly number[] }
  /** Until `retryAt`, or until the network is back, or the viewer presses. */
  | (Trouble & { readonly at: "waiting"; readonly retryAt: number })
  /** What was asked for last has not come yet. */
  | (Trouble & { readonly at: "trying" })
  /** The viewer may not watch (any more). */
  | { readonly at: "refused"; readonly status: number | null; readonly mends: readonly number[] };

interface Trouble {
  readonly missing: Missing;
  /** When the first of these faults came. */
  readonly since: number;
  /** How many times something was asked for in vain since. */
  readonly attempt: number;
  /** When the picture was mended, as far back as it counts. */
  readonly mends: readonly number[];
  /** What is done when it is tried again. */
  readonly by: Effect;
}

/** `resume` asks for what is missing, `renew` for another address, `mend` resets the decoder, `reload` begins anew. */
export type Effect = "resume" | "renew" | "mend" | "reload";

export type RecoveryEvent =
  | { readonly kind: "failed"; readonly fault: Fault }
  /** Another address came. */
  | { readonly kind: "renewed" }
  /** Another address did not come; `retryable`: asking again may help. */
  | { readonly kind: "notRenewed"; readonly retryable: boolean; readonly status: number | null }
  /** A part of the stream came, and was taken. */
  | { readonly kind: "loaded" }
  /** `retryAt` is there, the browser has a network again, or the viewer pressed. */
  | { readonly kind: "due" };

/** What the player knows of its surroundings. */
export interface Surroundings {
  readonly now: number;
  readonly online: boolean;
  /** There is a way to another address. */
  readonly renewable: boolean;
  /** Nothing of what was loaded before is left to play. */
  readonly dry: boolean;
  /** A number of [0, 1): players that fell together do not get up in step. */
  readonly drawn: number;
}

export const CLEAR: Recovery = { at: "clear", mends: [] };

const FIRST_WAIT = 200;
/** For a minute a viewer is not let wait for longer than this once the way is clear, milliseconds. */
const LONGEST_WAIT = 900;
const PATIENT_AFTER = 60_000;
const PATIENT_WAIT = 8_000;
/** Mends of the picture count against the next one for this long, milliseconds. */
const MENDS_COUNT = 30_000;
/** Mends within that time after which the picture is let rest between two. */
const MENDS_AT_ONCE = 3;
/** A part that is answered wrongly is asked for this often before the whole stream is, once. */
const TRIES_BETWEEN = 5;

/** How long to wait before attempt `attempt`, which is at least 1, milliseconds. */
export function waitBefore(attempt: number, troubledFor: number, drawn: number): number {
  const longest = troubledFor < PATIENT_AFTER ? LONGEST_WAIT : PATIENT_WAIT;
  return Math.round(Math.min(longest, FIRST_WAIT * 2 ** Math.min(attempt - 1, 10)) * (0.7 + 0.3 * drawn));
}

function wait(state: Recovery, missing: Missing, by: Effect, { now, drawn }: Surroundings): Recovery {
  const since = "since" in state ? state.since : now;
  const attempt = "attempt" in state ? state.attempt + 1 : 1;
  const retryAt = now + waitBefore(attempt, now - since, drawn);
  return { at: "waiting", missing, by, since, attempt, mends: state.mends, retryAt };
}

function attemptNow(state: Recovery, missing: Missing, by: Effect, now: number): readonly [Recovery, Effect] {
  const since = "since" in state ? state.since : now;
  const attempt = "attempt" in state ? state.attempt : 0;
  return [{ at: "trying", missing, by, since, attempt, mends: state.mends }, by];
}

function fail(state: Recovery, fault: Fault, around: Surroundings): readonly [Recovery, Effect | null] {
  switch (fault.cause) {
    case "unanswered":
      return [wait(state, around.online ? "server" : "network", "resume", around), null];
    case "answer":
    case "body": {
      // What is not there for long may be named by a playlist that is wrong itself: all is asked for anew now and then.
      const anew = around.dry && "attempt" in state && state.attempt % TRIES_BETWEEN === TRIES_BETWEEN - 1;
      return [wait(state, "server", anew ? "reload" : "resume", around), null];
    }
    case "address": {
      if (!around.renewable) return [wait(state, "server", "resume", around), null];
      // A fresh address that is refused as well is not replaced without a pause.
      const again = "by" in state && state.by === "renew";
      return again
        ? [wait(state, "address", "renew", around), null]
        : attemptNow(state, "address", "renew", around.now);
    }
    case "decoder": {
      const mends = [...state.mends.filter((at) => at > around.now - MENDS_COUNT), around.now];
      const by = mends.length === 1 ? "mend" : "reload";
      const mending = { ...state, mends };
      if (mends.length > MENDS_AT_ONCE) return [wait(mending, "picture", by, around), null];
      return attemptNow(mending, "picture", by, around.now);
    }
    default:
      return fault satisfies never;
  }
}

/** The next state, and what the player does now. */
export function recover(
  state: Recovery,
  event: RecoveryEvent,
  around: Surroundings,
): readonly [Recovery, Effect | null] {
  if (state.at === "refused") {
    // Whoever presses may have got the right since.
    if (event.kind !== "due") return [state, null];
    return attemptNow(state, "address", around.renewable ? "renew" : "resume", around.now);
  }
  switch (event.kind) {
    case "failed":
      return fail(state, event.fault, around);
    case "renewed":
      return state.at === "clear" ? [state, null] : [{ ...state, at: "trying" }, "resume"];
    case "notRenewed":
      if (state.at === "clear") return [state, null];
      if (!event.retryable) return [{ at: "refused", status: event.status, mends: state.mends }, null];
      return [wait(state, around.online ? "address" : "network", "renew", around), null];
    case "loaded":
      // What came before the fault, and was taken after it, mends nothing.
      return state.at === "trying" ? [{ at: "clear", mends: state.mends }, null] : [state, null];
    case "due":
      return state.at === "waiting" ? attemptNow(state, state.missing, state.by, around.now) : [state, null];
    default:
      return event satisfies never;
  }
}
