/** Lines as text: `3-5,8`. */
export function rangesText(lines: Iterable<number>): string {
  const ranges: [from: number, to: number][] = [];
  for (const line of [...lines].sort((one, other) => one - other)) {
    const last = ranges.at(-1);
    if (last && line <= last[1] + 1) last[1] = line;
    else ranges.push([line, line]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(",");
}

/** The lines of such a text. */
export function linesIn(text: string): Set<number> {
  const lines = new Set<number>();
  if (text === "") return lines;
  for (const range of text.split(",")) {
    const [from = 0, to = from] = range.split("-").map(Number);
    for (let line = from; line <= to; line++) lines.add(line);
  }
  return lines;
}
