import { cps, getContext } from "redux-saga/effects";
import type { SagaGenerator } from "typed-redux-saga";
import type { Calls, Method } from "./calls";

export type { CallOrigin, Calls, Method } from "./calls";
export { methods } from "./calls";
export { PortError, type PortErrorJson } from "./error";

/** The callback of a call: `done(null, answer)` or `done(error)`, once. The gate sets `cancel` to abort the call. */
export interface Done {
  (error: Error | null, answer?: unknown): void;
  cancel?: () => void;
}

/** The world as sagas see it, in their context under `"world"`. */
export interface World {
  /** The turn's instant, in Unix milliseconds: the same throughout a turn. */
  now(): number;
  /** Calls a port. `args` is one plain JSON object; the answer comes in a later turn. */
  call(method: Method, args: object, done: Done): void;
  /** A number in [0, 1). */
  draw(purpose: string): number;
  /** A UUIDv7 in lower case. */
  newId(purpose: string): string;
}

function* world(): SagaGenerator<World> {
  return (yield getContext("world")) as World;
}

/** Calls a port and waits for its answer. Throws nothing but a `PortError`. */
export function* callPort<M extends Method>(method: M, args: Calls[M]["args"]): SagaGenerator<Calls[M]["answer"]> {
  const context = yield* world();
  return (yield cps([context, context.call] as never, method, args)) as unknown as Calls[M]["answer"];
}

/** The turn's instant, in Unix milliseconds. */
export function* now(): SagaGenerator<number> {
  return (yield* world()).now();
}

/** Waits `ms` milliseconds. `purpose` names the timer in the log. */
export function* sleep(purpose: string, ms: number): SagaGenerator<void> {
  const until = (yield* now()) + Math.max(0, ms);
  yield* callPort("clock.sleep", { purpose, ms: Math.max(0, ms), until });
}

/**
 * Waits until `deadline` (Unix milliseconds), which may have passed. `longest` bounds the wait, in case the clock was
 * set back after the deadline was written.
 */
export function* sleepUntil(
  purpose: string,
  deadline: number,
  longest = Number.POSITIVE_INFINITY,
): SagaGenerator<void> {
  yield* sleep(purpose, Math.min(deadline - (yield* now()), longest));
}

/** A number in [0, 1). */
export function* draw(purpose: string): SagaGenerator<number> {
  return (yield* world()).draw(purpose);
}

/** A UUIDv7 in lower case. */
export function* newId(purpose: string): SagaGenerator<string> {
  return (yield* world()).newId(purpose);
}
