/** The longest log that a report takes, in characters. */
export const LONGEST_LOG = 1_000_000;
/** The most bytes that the log may take in the report's body, beside the note and the rest. */
const MOST_BYTES = (1 << 20) - 32 * 1024;

/** A log as it can be sent. */
export type FittedLog =
  | { readonly at: "whole" | "cut"; readonly text: string }
  /** No part of it that could be replayed is small enough. */
  | { readonly at: "tooLarge" };

const encoder = new TextEncoder();

/** Quotes and line breaks grow in JSON. */
const fits = (text: string): boolean =>
  text.length <= LONGEST_LOG && encoder.encode(JSON.stringify(text)).length <= MOST_BYTES;

const isSnapshot = (line: string): boolean => line.includes('"kind":"snapshot"') && line.includes('"counters":');

/** Cuts a log that is too long to what follows a snapshot, as early a one as fits: the rest replays from there. */
export function fitLog(text: string): FittedLog {
  if (fits(text)) return { at: "whole", text };
  const [header = "", ...lines] = text.split("\n");
  for (const [index, line] of lines.entries()) {
    if (!isSnapshot(line)) continue;
    const rest = [header, ...lines.slice(index)].join("\n");
    if (fits(rest)) return { at: "cut", text: rest };
  }
  return { at: "tooLarge" };
}

/** How many lines a log has, its header among them. */
export const countLines = (text: string): number => text.split("\n").filter((line) => line !== "").length;
