import { call, put, type SagaGenerator } from "typed-redux-saga";
import { fullJitter } from "../lib/backoff";
import { MINUTE, SECOND } from "../lib/time";
import { draw, now, sleep } from "../ports/world";
import { supervisorActions } from "../slices/supervisor";

export type Process = () => SagaGenerator<void>;

const RESTART = { base: SECOND, cap: MINUTE } as const;
/** After this time a process counts as healthy: its next crash counts as its first. */
const HEALTHY_AFTER = MINUTE;

/**
 * Runs a process for the lifetime of the page: a crash is reported and the process restarts from the state, with
 * increasing delay while it keeps crashing.
 */
export function* supervise(name: string, process: Process): SagaGenerator<void> {
  for (let crashes = 0; ; ) {
    const startedAt = yield* now();
    try {
      yield* call(process);
      return;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      yield* put(supervisorActions.sagaCrashed({ saga: name, message }));
    }
    crashes = (yield* now()) - startedAt > HEALTHY_AFTER ? 0 : crashes + 1;
    const wait = SECOND + fullJitter(crashes, RESTART, yield* draw(`restart.${name}`));
    yield* sleep(`restart.${name}`, wait);
    yield* put(supervisorActions.sagaRestarted({ saga: name }));
  }
}
