import acceptedText from "../../replay/accepted.jsonl?raw";
import { acceptedIn } from "../eventlog/accepted";
import { program } from "../sagas/program";
import { findingsOf } from "./findings";
import type { Answer, Question } from "./outcome";

self.onmessage = ({ data }: MessageEvent<Question>) => {
  let reply: Answer;
  try {
    reply = findingsOf(program, data.text, acceptedIn(acceptedText));
  } catch (error) {
    reply = { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  self.postMessage(reply);
};
