import { readFileSync } from "node:fs";
import { type Accepted, acceptedIn } from "../src/eventlog/accepted";

/** The accepted differences, one JSON object per line. */
export const acceptedFile = new URL("accepted.jsonl", import.meta.url);

export const readAccepted = (): Accepted[] => acceptedIn(readFileSync(acceptedFile, "utf8"));
