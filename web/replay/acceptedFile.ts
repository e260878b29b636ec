import { readFileSync } from "node:fs";
import type { Accepted } from "../src/eventlog/accepted";

/** The accepted differences, one JSON object per line. */
export const acceptedFile = new URL("accepted.jsonl", import.meta.url);

export const readAccepted = (): Accepted[] =>
  readFileSync(acceptedFile, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Accepted);
