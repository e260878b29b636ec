import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { journeys } from "./journeys";

/** The folder of the committed logs. */
export const logFolder = join(import.meta.dirname, "../../../fixtures/logs/");

/** The names of the committed logs. */
export const committedNames: readonly string[] = readdirSync(logFolder)
  .filter((file) => file.endsWith(".jsonl"))
  .map((file) => file.slice(0, -".jsonl".length));

/** A committed log, as an earlier build recorded it. */
export const committedLog = (name: string): string => readFileSync(`${logFolder}${name}.jsonl`, "utf8");

const recorded = new Map<string, Promise<string>>();

/** A session, recorded by this build, once per process. */
export async function record(name: string): Promise<string> {
  const journey = journeys[name];
  if (!journey) throw new Error(`unknown session ${name}: ${Object.keys(journeys).join(", ")}`);
  const log = recorded.get(name) ?? journey();
  recorded.set(name, log);
  return log;
}

/** Every session, recorded by this build, by name. */
export async function recordAll(): Promise<Readonly<Record<string, string>>> {
  const logs: Record<string, string> = {};
  for (const name of Object.keys(journeys)) logs[name] = await record(name);
  return logs;
}
