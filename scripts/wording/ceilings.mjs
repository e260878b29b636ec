// Ceilings: the number of matching comments and names that each file may have.

/** Reads lines of `path<TAB>comments<TAB>names`. */
export function parse(text) {
  const rows = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    rows.map((row) => {
      const [path, comments, names] = row.split("\t");
      return [path, { comments: Number(comments), names: Number(names) }];
    }),
  );
}

/** Formats ceilings for `parse`, with the totals in the first line. */
export function format(ceilings) {
  const rows = [...ceilings].filter(([, { comments, names }]) => comments + names > 0).sort(([a], [b]) => (a < b ? -1 : 1));
  const total = (kind) => rows.reduce((sum, [, counts]) => sum + counts[kind], 0);
  return [`# path, comments (${total("comments")}), names (${total("names")})`, ...rows.map(([path, { comments, names }]) => `${path}\t${comments}\t${names}`), ""].join("\n");
}

const NONE = { comments: 0, names: 0 };
const KINDS = ["comments", "names"];

/** The files above their ceiling, and those below it. */
export function compare(ceilings, found) {
  const paths = [...new Set([...ceilings.keys(), ...found.keys()])].sort();
  const differing = (isWanted) =>
    paths.flatMap((path) =>
      KINDS.map((kind) => ({ path, kind, ceiling: (ceilings.get(path) ?? NONE)[kind], count: (found.get(path) ?? NONE)[kind] })).filter(isWanted),
    );
  return {
    above: differing(({ ceiling, count }) => count > ceiling),
    below: differing(({ ceiling, count }) => count < ceiling),
  };
}

/** The ceilings lowered to the counts, never raised. A file moved under the same name brings its ceiling along. */
export function lower(ceilings, found) {
  const nameOf = (path) => path.slice(path.lastIndexOf("/") + 1);
  const removed = new Map([...ceilings].filter(([path]) => !found.has(path)).map(([path, counts]) => [nameOf(path), counts]));
  return new Map(
    [...found].map(([path, counts]) => {
      const ceiling = ceilings.get(path) ?? removed.get(nameOf(path)) ?? NONE;
      return [path, Object.fromEntries(KINDS.map((kind) => [kind, Math.min(ceiling[kind], counts[kind])]))];
    }),
  );
}
