import type { SiteFile } from "../ports/site";
import { earlierLog } from "../session/earlierLogs";
import { type LogDeps, logText } from "../session/log";
import { fileOf } from "./export";

/** The log of this tab before its last reload, or of a crashed tab. */
export async function earlierLogFile(parts: LogDeps): Promise<SiteFile | null> {
  const facts = await earlierLog(parts);
  if (!facts) return null;
  const text = await logText({ ...parts, log: facts.log });
  return text === undefined ? null : fileOf(facts.log, text);
}
