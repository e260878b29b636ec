import type { PathChange } from "../../src/eventlog/pathChanges";
import { generalName, type Item } from "./items";

/** One word of a screen, or the whole of a button, a link or a field. */
interface Token {
  readonly text: string;
  readonly item: number;
}

/** The largest table of a comparison, in cells: beyond it, everything between two equal ends differs. */
const MAX_CELLS = 4_000_000;

/** Texts are compared word by word, so that it doesn't matter which elements they are divided into. */
const tokensOf = (items: readonly Item[]): Token[] =>
  items.flatMap(({ role, label, state }, item) =>
    role === "text" && state.length === 0
      ? label.split(" ").map((text) => ({ text, item }))
      : [{ text: [role, label, ...state].join("\n"), item }],
  );

/** Tokens without a partner on the other side, next to each other. */
interface Hunk {
  readonly was: readonly Token[];
  readonly is: readonly Token[];
  /** The position behind it, on both sides. */
  readonly end: readonly [was: number, is: number];
}

function hunksOf(before: readonly Token[], after: readonly Token[]): Hunk[] {
  const isEqual = (one: number, other: number): boolean => before[one]?.text === after[other]?.text;
  let start = 0;
  while (start < before.length && start < after.length && isEqual(start, start)) start += 1;
  let [left, right] = [before.length, after.length];
  while (left > start && right > start && isEqual(left - 1, right - 1)) {
    left -= 1;
    right -= 1;
  }
  if (left === start && right === start) return [];
  const [rows, columns] = [left - start, right - start];
  const all: Hunk = { was: before.slice(start, left), is: after.slice(start, right), end: [left, right] };
  if (rows === 0 || columns === 0 || rows * columns > MAX_CELLS) return [all];
  // The longest common subsequence of each pair of rests.
  const width = columns + 1;
  const longest = new Uint16Array((rows + 1) * width);
  for (let row = rows - 1; row >= 0; row--)
    for (let column = columns - 1; column >= 0; column--)
      longest[row * width + column] = isEqual(start + row, start + column)
        ? (longest[(row + 1) * width + column + 1] as number) + 1
        : Math.max(longest[(row + 1) * width + column] as number, longest[row * width + column + 1] as number);
  const hunks: Hunk[] = [];
  let [row, column] = [0, 0];
  let [was, is]: [Token[], Token[]] = [[], []];
  const close = (): void => {
    if (was.length + is.length > 0) hunks.push({ was, is, end: [start + row, start + column] });
    [was, is] = [[], []];
  };
  while (row < rows || column < columns) {
    if (row < rows && column < columns && isEqual(start + row, start + column)) {
      close();
      row += 1;
      column += 1;
    } else if (
      column === columns ||
      (row < rows && (longest[(row + 1) * width + column] as number) >= (longest[row * width + column + 1] as number))
    ) {
      was.push(before[start + row] as Token);
      row += 1;
    } else {
      is.push(after[start + column] as Token);
      column += 1;
    }
  }
  close();
  return hunks;
}

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** One side of a difference, for people. */
function sideText(items: readonly Item[]): string {
  return items.map(({ label, state }) => [label, ...state].filter((part) => part !== "").join(", ")).join(" · ");
}

/** The differences between what two builds' screens say, each with the name of its first element. */
export function itemChanges(before: readonly Item[], after: readonly Item[]): PathChange[] {
  const [old, now] = [tokensOf(before), tokensOf(after)];
  const changes: PathChange[] = [];
  let last: readonly [string, string] | undefined;
  for (const { was, is, end } of hunksOf(old, now)) {
    const [lost, added] = [was, is].map((side) => unique(side.map(({ item }) => item))) as [number[], number[]];
    // Words that one side lacks are shown with the rest of their text.
    if (lost.length === 0) lost.push(...counterpart(now, end[1] - is.length, end[1], old, end[0]));
    if (added.length === 0) added.push(...counterpart(old, end[0] - was.length, end[0], now, end[1]));
    const pair = [lost, added].map((side) => side.join()) as [string, string];
    if (last?.[0] === pair[0] && last[1] === pair[1]) continue;
    last = pair;
    const [wasItems, isItems] = [lost.map((item) => before[item] as Item), added.map((item) => after[item] as Item)];
    const named = wasItems[0] ?? isItems[0];
    if (!named) continue;
    changes.push({
      path: generalName(named),
      ...(wasItems.length === 0 ? {} : { was: sideText(wasItems) }),
      ...(isItems.length === 0 ? {} : { is: sideText(isItems) }),
    });
  }
  return changes;
}

/** The text on one side of which the other side has these tokens more; none if they are elements of their own. */
function counterpart(more: readonly Token[], from: number, end: number, less: readonly Token[], at: number): number[] {
  const isSplit = (position: number): boolean => more[position - 1]?.item === more[position]?.item;
  const token = from > 0 && isSplit(from) ? less[at - 1] : end < more.length && isSplit(end) ? less[at] : undefined;
  return token ? [token.item] : [];
}
