import type { Accepted } from "../eventlog/accepted";
import type { AnyProgram } from "../eventlog/folding";
import { replayText } from "../eventlog/replay";
import type { Replayed } from "../eventlog/replay-reducers";
import type { Answer, Finding } from "./outcome";

const findingOf = ({ same, actions, hash, warnings, crashes, divergence }: Replayed): Finding => ({
  same,
  actions,
  hash,
  warnings,
  crashes,
  divergence: divergence ?? null,
});

/**
 * Replays a log. Must not run inside a live turn: the page uses a Worker. The page doesn't know the order of builds: an
 * accepted difference holds for the logs of every other build than the one that brought it.
 */
export function findingsOf(program: AnyProgram, text: string, accepted: readonly Accepted[]): Answer {
  const outcome = replayText(program, text, {
    accepted: (build) => accepted.filter((entry) => entry.build !== build),
  });
  if (outcome.status === 2) return { failed: outcome.unreadable };
  const { kind, missing, reducers, sagas } = outcome;
  const found = typeof sagas === "string" ? sagas : findingOf(sagas);
  return { findings: { kind, missing, reducers: findingOf(reducers), sagas: found } };
}
