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
