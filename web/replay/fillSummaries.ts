import { chownSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { summaryOf } from "../src/eventlog/sessionSummary";
import { readText } from "./readText";

/** A stored report's facts, as the worker writes them. */
interface Facts {
  readonly id?: string;
  readonly summary?: unknown;
}

/** The facts beside a session, if it is a report's. */
function factsAt(path: string): Facts | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Facts;
  } catch {
    return undefined;
  }
}

/** Replaces a report's facts for whoever could read them. The worker removes what an interruption leaves. */
function replace(stem: string, text: string): void {
  const { uid, gid, mode } = statSync(`${stem}.json`);
  writeFileSync(`${stem}.new`, text, { mode });
  chownSync(`${stem}.new`, uid, gid);
  renameSync(`${stem}.new`, `${stem}.json`);
}

/**
 * Adds the summary to reports of builds that made none (LOG-5), so that `touchline reports` finds them. Returns their
 * number. Sessions that aren't reports, and recordings without a header, stay as they are.
 */
export async function fillSummaries(folder: string, files: readonly string[]): Promise<number> {
  let count = 0;
  for (const file of files) {
    const stem = join(folder, file.replace(/\.jsonl(\.gz)?$/, ""));
    const facts = factsAt(`${stem}.json`);
    if (facts?.id === undefined || facts.summary !== undefined) continue;
    const summary = summaryOf(await readText(join(folder, file)).catch(() => ""));
    if (!summary) continue;
    replace(stem, JSON.stringify({ ...facts, summary }));
    count += 1;
  }
  return count;
}
