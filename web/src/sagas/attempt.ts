import type { SagaGenerator } from "typed-redux-saga";
import { err, ok, type Result } from "../lib/result";
import { ask, type Calls, type Method, PortError } from "../ports/ask";

/** Asks a port; its failure is a value. Anything else that is thrown is a defect and goes on to the supervisor. */
export function* attempt<M extends Method>(
  method: M,
  args: Calls[M]["args"],
): SagaGenerator<Result<Calls[M]["answer"], PortError>> {
  try {
    return ok(yield* ask(method, args));
  } catch (error) {
    if (error instanceof PortError) return err(error);
    throw error;
  }
}

/**
 * Asks a port on the viewer's behalf, once it is stored that this is under way: a leader that was replaced while it stood
 * still can store nothing, learns so there, and asks nothing. A full disk holds up no call that may be made twice.
 */
export function* attemptStored<M extends Method>(
  method: M,
  args: Calls[M]["args"],
): SagaGenerator<Result<Calls[M]["answer"], PortError>> {
  yield* attempt("storage.flush", {});
  return yield* attempt(method, args);
}
