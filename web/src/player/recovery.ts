import type { Fault } from "./faults";

/** MEDIA-6. The resource that a stalled player is waiting for. */
export type Missing = "network" | "server" | "address" | "picture";

/** The player's recovery state. Buffered media keep playing meanwhile. Times are Unix milliseconds. */
export type Recovery =
  /** The stream loads normally. */
  | { readonly at: "clear"; readonly mends: readonly number[] }
  /** Waits until `retryAt`, until the network is back, or until the viewer presses retry. */
  | (Trouble & { readonly at: "waiting"; readonly retryAt: number })
  /** The latest attempt has not finished. */
  | (Trouble & { readonly at: "trying" })
  /** The viewer may not watch, or no longer. */
  | { readonly at: "refused"; readonly status: number | null; readonly mends: readonly number[] };

interface Trouble {
  readonly missing: Missing;
  /** Time of the first fault in a row. */
  readonly since: number;
  /** Failed attempts since then. */
  readonly attempt: number;
  /** Times of recent decoder resets. */
  readonly mends: readonly number[];
  /** The next attempt's action. */
  readonly by: Effect;
}

/**
 * `resume` loads missing parts, `renew` requests another address, `mend` resets the decoder, `reload` starts from
 * scratch.
 */
export type Effect = "resume" | "renew" | "mend" | "reload";

export type RecoveryEvent =
  | { readonly kind: "failed"; readonly fault: Fault }
  | { readonly kind: "renewed" }
  /** Another address could not be fetched; `retryable`: trying again may help. */
  | { readonly kind: "notRenewed"; readonly retryable: boolean; readonly status: number | null }
  /** A part of the stream was loaded and buffered. */
  | { readonly kind: "loaded" }
  /** `retryAt` has passed, the network is back, or the viewer pressed retry. */
  | { readonly kind: "due" };

export interface Environment {
  readonly now: number;
  readonly online: boolean;
  /** Another address can be requested. */
  readonly renewable: boolean;
  /** The buffer is empty. */
  readonly dry: boolean;
  /** A random number in [0, 1), which spreads the retries of many players. */
  readonly drawn: number;
}

export const CLEAR: Recovery = { at: "clear", mends: [] };

const FIRST_WAIT = 200;
/** During the first minute, retries are at most this far apart, in milliseconds. */
const MAX_WAIT = 900;
const SLOW_AFTER_MS = 60_000;
const MAX_SLOW_WAIT = 8_000;
/** Decoder resets count towards the next delay for this long, in milliseconds. */
const RESET_WINDOW_MS = 30_000;
/** Decoder resets within that time before a delay applies. */
const MAX_INSTANT_RESETS = 3;
/** A part that fails is requested this often before the whole stream is reloaded once. */
const ATTEMPTS_PER_RELOAD = 5;

/** The delay before attempt `attempt` (at least 1), in milliseconds. */
export function waitBefore(attempt: number, troubledFor: number, drawn: number): number {
  const longest = troubledFor < SLOW_AFTER_MS ? MAX_WAIT : MAX_SLOW_WAIT;
  return Math.round(Math.min(longest, FIRST_WAIT * 2 ** Math.min(attempt - 1, 10)) * (0.7 + 0.3 * drawn));
}

function wait(state: Recovery, missing: Missing, by: Effect, { now, drawn }: Environment): Recovery {
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

function fail(state: Recovery, fault: Fault, environment: Environment): readonly [Recovery, Effect | null] {
  switch (fault.cause) {
    case "unanswered":
      return [wait(state, environment.online ? "server" : "network", "resume", environment), null];
    case "answer":
    case "body": {
      // A part that stays missing may be named by a stale playlist: everything is reloaded now and then.
      const reloads =
        environment.dry && "attempt" in state && state.attempt % ATTEMPTS_PER_RELOAD === ATTEMPTS_PER_RELOAD - 1;
      if (!reloads) return [wait(state, "server", "resume", environment), null];
      // Or the channel removed the stream, and then issues no other address.
      const isMissing = fault.cause === "answer" && fault.status === 404 && environment.renewable;
      const renews = isMissing && state.attempt > ATTEMPTS_PER_RELOAD;
      return [wait(state, "server", renews ? "renew" : "reload", environment), null];
    }
    case "address": {
      if (!environment.renewable) return [wait(state, "server", "resume", environment), null];
      // A fresh address that is refused too is not replaced without a delay.
      const again = "by" in state && state.by === "renew";
      return again
        ? [wait(state, "address", "renew", environment), null]
        : attemptNow(state, "address", "renew", environment.now);
    }
    case "decoder": {
      const mends = [...state.mends.filter((at) => at > environment.now - RESET_WINDOW_MS), environment.now];
      const by = mends.length === 1 ? "mend" : "reload";
      const mending = { ...state, mends };
      if (mends.length > MAX_INSTANT_RESETS) return [wait(mending, "picture", by, environment), null];
      return attemptNow(mending, "picture", by, environment.now);
    }
    default:
      return fault satisfies never;
  }
}

/** Returns the next state and the player's action. */
export function recover(
  state: Recovery,
  event: RecoveryEvent,
  environment: Environment,
): readonly [Recovery, Effect | null] {
  if (state.at === "refused") {
    // The viewer may have gained access since.
    if (event.kind !== "due") return [state, null];
    return attemptNow(state, "address", environment.renewable ? "renew" : "resume", environment.now);
  }
  switch (event.kind) {
    case "failed":
      return fail(state, event.fault, environment);
    case "renewed":
      return state.at === "clear" ? [state, null] : [{ ...state, at: "trying" }, "resume"];
    case "notRenewed":
      if (state.at === "clear") return [state, null];
      if (!event.retryable) return [{ at: "refused", status: event.status, mends: state.mends }, null];
      return [wait(state, environment.online ? "address" : "network", "renew", environment), null];
    case "loaded":
      // A part requested before the fault and loaded after it proves nothing.
      return state.at === "trying" ? [{ at: "clear", mends: state.mends }, null] : [state, null];
    case "due":
      return state.at === "waiting" ? attemptNow(state, state.missing, state.by, environment.now) : [state, null];
    default:
      return event satisfies never;
  }
}
