// The requirements that docs/requirements defines, and those that a text cites: `PAY-2`, its clause (b) as `PAY-2b`.

/** The ids and clauses that a page defines, in its order. */
export function defined(page) {
  return [...page.matchAll(/^\| ([A-Z]+-\d+) \| (.*)$/gm)].flatMap(([, id, cells]) => {
    const letters = [...cells.matchAll(/(?<=^|\| |[.:] )\(([a-z])\) /g)].map(([, letter]) => letter);
    return [id, ...letters.map((letter) => id + letter)];
  });
}

/** The ids and clauses that a text cites, expanding ranges such as `NAV-1 to NAV-3`; terms such as UTF-8 don't count. */
export function cited(text, topics) {
  const found = text.matchAll(/\b([A-Z]+)-(\d+)([a-z]?)\b(?:`? (?:to|through) `?\1-(\d+)\b)?/g);
  return [...found].flatMap(([, topic, from, letter, to = from]) =>
    topics.has(topic)
      ? Array.from({ length: Number(to) - Number(from) + 1 }, (_, n) => `${topic}-${Number(from) + n}${letter}`)
      : [],
  );
}

/** The requirement that a clause belongs to. */
export const idOf = (clause) => clause.replace(/[a-z]$/, "");

/** The topics of some ids. */
export const topicsOf = (ids) => new Set(ids.map((id) => id.slice(0, id.indexOf("-"))));
