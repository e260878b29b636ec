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

/** Replays a log. Must not run inside a live turn: the page uses a Worker. */
export function findingsOf(program: AnyProgram, text: string): Answer {
  const outcome = replayText(program, text);
  if (outcome.status === 2) return { failed: outcome.unreadable };
  const { kind, missing, reducers, sagas } = outcome;
  const found = typeof sagas === "string" ? sagas : findingOf(sagas);
  return { findings: { kind, missing, reducers: findingOf(reducers), sagas: found } };
}
