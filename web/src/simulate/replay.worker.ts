import { replayText } from "../eventlog/replay";
import type { Replayed } from "../eventlog/replay-reducers";
import { program } from "../sagas/program";
import type { Answer, Finding, Question } from "./outcome";

const findingOf = ({ same, actions, hash, warnings, divergence }: Replayed): Finding => ({
  same,
  actions,
  hash,
  warnings,
  divergence: divergence ?? null,
});

function answer(text: string): Answer {
  const outcome = replayText(program, text);
  if (outcome.status === 2) return { failed: outcome.unreadable };
  const { reducers, sagas } = outcome;
  return { findings: { reducers: findingOf(reducers), sagas: typeof sagas === "string" ? sagas : findingOf(sagas) } };
}

self.onmessage = ({ data }: MessageEvent<Question>) => {
  let reply: Answer;
  try {
    reply = answer(data.text);
  } catch (error) {
    reply = { failed: error instanceof Error ? error.message : String(error) };
  }
  self.postMessage(reply);
};
