import type { AnyProgram } from "./folding";
import { type Log, parseLog, UnreadableLog } from "./parse";
import { type Replayed, replayReducers } from "./replay-reducers";
import { replaySagas, type SagasReplayed, unplayable } from "./replay-sagas";

/** What becomes of one log: 0 the same, 1 diverged, 2 unreadable. The replayer exits with the worst of them. */
export type Status = 0 | 1 | 2;

/** What replaying one log found. */
export type Outcome =
  | { readonly status: 2; readonly unreadable: string }
  | {
      readonly status: 0 | 1;
      readonly log: Log;
      readonly reducers: Replayed;
      /** The text says why the sagas were left out. */
      readonly sagas: SagasReplayed | string;
    };

/** How to replay. */
export interface ReplayOptions {
  /** Leave the sagas out. */
  readonly reducersOnly?: boolean;
}

/** Replays a log that was read. */
export function replayLog(program: AnyProgram, log: Log, options: ReplayOptions = {}): Outcome & { status: 0 | 1 } {
  const reducers = replayReducers(program, log);
  const left = options.reducersOnly ? "left out, as asked" : unplayable(log);
  const sagas = left ?? replaySagas(program, log);
  const same = reducers.same && (typeof sagas === "string" || sagas.same);
  return { status: same ? 0 : 1, log, reducers, sagas };
}

/** Reads a log's text and replays it. */
export function replayText(program: AnyProgram, text: string, options: ReplayOptions = {}): Outcome {
  let log: Log;
  try {
    log = parseLog(text);
  } catch (error) {
    if (error instanceof UnreadableLog) return { status: 2, unreadable: error.message };
    throw error;
  }
  return replayLog(program, log, options);
}
