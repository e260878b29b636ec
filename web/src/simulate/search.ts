import type { Line } from "../eventlog/envelope";

/** Lines whose payload is the whole state, or hashes of it. */
const isOfState = ({ kind }: Line): boolean => kind === "snapshot" || kind === "checkpoint";

// A search runs at each typed letter, over the same lines.
const texts = new WeakMap<Line, string>();

/** A line's text in lower case: its type, origin and call, and the values of its payload. */
function textOf(line: Line): string {
  const cached = texts.get(line);
  if (cached !== undefined) return cached;
  const payload = isOfState(line) ? "" : (JSON.stringify(line.payload) ?? "");
  const text = [line.kind, line.origin, line.type, "call" in line ? line.call : "", payload].join(" ").toLowerCase();
  texts.set(line, text);
  return text;
}

/** Whether each term of a search occurs in the line. */
export function isFound(line: Line, search: string): boolean {
  const terms = search.toLowerCase().split(/\s+/).filter(Boolean);
  return terms.every((term) => textOf(line).includes(term));
}

/** `5 matches`. */
export const matchCount = (count: number): string =>
  count === 0 ? "no matches" : count === 1 ? "1 match" : `${count} matches`;

/** The next position of a list in order, and from its end the first; undefined if it is empty. */
export const nextOf = (positions: readonly number[], position: number): number | undefined =>
  positions.find((one) => one > position) ?? positions[0];

/** The previous position of a list in order, and from its start the last; undefined if it is empty. */
export const previousOf = (positions: readonly number[], position: number): number | undefined =>
  positions.findLast((one) => one < position) ?? positions.at(-1);
