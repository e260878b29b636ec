import { saveFile } from "../components/basic/saveFile";
import type { SiteFile } from "../ports/site";
import { type LogDeps, logText } from "../session/log";

export const fileOf = (log: string, text: string): SiteFile => ({ name: `touchline-${log}.jsonl`, text });

/** The current page's log as a file. */
export async function currentLog(parts: LogDeps, flush: () => Promise<void>): Promise<SiteFile> {
  // If storing fails, the file lacks the last lines but is still useful.
  await flush().catch(() => undefined);
  return fileOf(parts.log, (await logText(parts, true)) ?? "");
}

export const download = ({ name, text }: SiteFile): void => saveFile(name, "application/jsonl", text);
