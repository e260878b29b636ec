import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseSync } from "vite";
import { type Node, walk } from "../../syntax";

/** A change of one statement of a saga. */
export interface Mutant {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  /** The replacement. */
  readonly instead: string;
  /** The instrumentation before and after it, for measuring reach only. */
  readonly before: (place: string) => string;
  readonly behind: string;
  /** For people: the file, the line, and the change. */
  readonly title: string;
}

const source = fileURLToPath(new URL("../../../src/", import.meta.url));

// Reducers run while their module is loaded, before any counter exists.
const reportReached = (place: string): string => `globalThis.cameBy?.(${JSON.stringify(place)})`;

/** Standalone effects are removed; conditions, of statements and of values, are negated. */
function mutantsOf(file: string, text: string): Mutant[] {
  const found: Mutant[] = [];
  const line = (at: number): number => text.slice(0, at).split("\n").length;
  const excerpt = (from: number, to: number): string => text.slice(from, to).replace(/\s+/g, " ").slice(0, 90);
  walk(parseSync(file, text).program as unknown as Node, (node) => {
    const { start, end } = node;
    if (node.type === "ExpressionStatement" && (node.expression as Node).type === "YieldExpression") {
      const title = `${file}:${line(start)} without ${excerpt(start, end)}`;
      found.push({
        file,
        start,
        end,
        instead: ";",
        before: (place) => `{ ${reportReached(place)}; `,
        behind: " }",
        title,
      });
    }
    if (node.type === "IfStatement" || node.type === "ConditionalExpression") {
      const test = node.test as Node;
      const condition = text.slice(test.start, test.end);
      found.push({
        file,
        start: test.start,
        end: test.end,
        instead: `!(${condition})`,
        before: (place) => `(${reportReached(place)}, `,
        behind: ")",
        title: `${file}:${line(start)} unless ${excerpt(test.start, test.end)}`,
      });
    }
  });
  return found;
}

/** The product's sagas and reducers by folder and name, read once: an edit meanwhile would shift the positions. */
export const sourceTexts: ReadonlyMap<string, string> = new Map(
  ["sagas", "slices"].flatMap((room) =>
    readdirSync(`${source}${room}`)
      .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
      .map((file) => [`${room}/${file}`, readFileSync(`${source}${room}/${file}`, "utf8")] as const),
  ),
);

/** One mutant for each standalone effect and each condition of the product's sagas, or of its reducers. */
export const mutantsIn = (room: "sagas" | "slices"): Mutant[] =>
  [...sourceTexts].flatMap(([file, text]) => (file.startsWith(`${room}/`) ? mutantsOf(file, text) : []));

/** The text of a mutant's file. */
export const mutated = (text: string, { start, end, instead }: Mutant): string =>
  text.slice(0, start) + instead + text.slice(end);

/** The text of a file whose statements report when they are reached. */
export function telling(text: string, places: readonly (readonly [name: string, mutant: Mutant])[]): string {
  const insertions = places.flatMap(([name, { start, end, before, behind }]) => [
    { at: start, text: before(name) },
    { at: end, text: behind },
  ]);
  // From the end, so that earlier positions stay valid.
  return insertions
    .sort((one, other) => other.at - one.at)
    .reduce((next, { at, text: inserted }) => next.slice(0, at) + inserted + next.slice(at), text);
}
