import type { SiteFile } from "../ports/site";
import { type LogParts, logText } from "../session/log";

export const fileOf = (log: string, text: string): SiteFile => ({ name: `touchline-${log}.jsonl`, text });

/** This page's log up to now, as a file. */
export async function presentLog(parts: LogParts, flush: () => Promise<void>): Promise<SiteFile> {
  // What cannot be stored any more is missing from the file; what was stored is still worth having.
  await flush().catch(() => undefined);
  return fileOf(parts.log, (await logText(parts, true)) ?? "");
}

/** Gives a file to the viewer. */
export function download({ name, text }: SiteFile): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/jsonl" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the file after this turn.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
