import { call, put, type SagaGenerator } from "typed-redux-saga";
import { fullJitter } from "../lib/backoff";
import { MINUTE, SECOND } from "../lib/time";
import { draw, now, sleep } from "../ports/ask";
import { supervisorActions } from "../slices/supervisor";

export type Process = () => SagaGenerator<void>;

const RESTART = { base: SECOND, cap: MINUTE } as const;
/** A process that ran this long is healthy: its next crash counts as its first. */
const HEALTHY_AFTER = MINUTE;

/**
 * Runs a process for as long as the page lives: one that crashes is reported and begins again from the state that it
 * left, ever more slowly while it keeps crashing.
 */
export function* supervise(name: string, process: Process): SagaGenerator<void> {
  for (let crashes = 0; ; ) {
    const began = yield* now();
    try {
      yield* call(process);
      return;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      yield* put(supervisorActions.sagaCrashed({ saga: name, message }));
    }
    crashes = (yield* now()) - began > HEALTHY_AFTER ? 0 : crashes + 1;
    const wait = SECOND + fullJitter(crashes, RESTART, yield* draw(`restart.${name}`));
    yield* sleep(`restart.${name}`, wait);
    yield* put(supervisorActions.sagaRestarted({ saga: name }));
  }
}
