import type { SagaGenerator } from "typed-redux-saga";
import { err, ok, type Result } from "../lib/result";
import { type Calls, callPort, type Method, PortError } from "../ports/world";

/** Calls a port and returns its failure as a value. Any other error is a defect and reaches the supervisor. */
export function* attempt<M extends Method>(
  method: M,
  args: Calls[M]["args"],
): SagaGenerator<Result<Calls[M]["answer"], PortError>> {
  try {
    return ok(yield* callPort(method, args));
  } catch (error) {
    if (error instanceof PortError) return err(error);
    throw error;
  }
}

/**
 * Calls a port for the viewer once the state before the call is stored: a leader that was replaced while frozen fails
 * to store and makes no call. A full disk doesn't block repeatable calls.
 */
export function* attemptStored<M extends Method>(
  method: M,
  args: Calls[M]["args"],
): SagaGenerator<Result<Calls[M]["answer"], PortError>> {
  yield* attempt("storage.flush", {});
  return yield* attempt(method, args);
}
