import { saveFile } from "../components/basic/saveFile";
import type { SiteFile } from "../ports/site";
import { type LogDeps, logText } from "../session/log";

export const fileOf = (log: string, text: string): SiteFile => ({ name: `touchline-${log}.jsonl`, text });

/** This page's log up to now, as a file. */
export async function currentLog(parts: LogDeps, flush: () => Promise<void>): Promise<SiteFile> {
  // What cannot be stored any more is missing from the file; what was stored is still worth having.
  await flush().catch(() => undefined);
  return fileOf(parts.log, (await logText(parts, true)) ?? "");
}

/** Gives a file to the viewer. */
export const download = ({ name, text }: SiteFile): void => saveFile(name, "application/jsonl", text);
