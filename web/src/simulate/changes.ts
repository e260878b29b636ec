/** A line of the displayed state: removed (`-`), added (`+`) or unchanged. */
export interface DisplayLine {
  readonly mark: "+" | "-" | "";
  readonly depth: number;
  readonly name: string;
  /** Empty for an object whose fields follow. */
  readonly text: string;
}

/** A slice before and after a step. */
export interface DisplaySlice {
  readonly name: string;
  readonly isChanged: boolean;
  readonly summary: string;
  readonly lines: readonly DisplayLine[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Maximum length of a value, and maximum number of unchanged fields beside changed ones. */
const MAX_LENGTH = 160;
const MAX_UNCHANGED = 8;
const DEEPEST = 6;

const isRecord = (value: unknown): value is Fields => typeof value === "object" && value !== null;

export function outline(value: unknown): string {
  if (Array.isArray(value)) return value.length === 1 ? "1 item" : `${value.length} items`;
  const text = JSON.stringify(value) ?? "nothing";
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}…`;
}

function summary(value: unknown): string {
  if (isRecord(value) && typeof value.at === "string") return value.at;
  if (Array.isArray(value) || !isRecord(value)) return outline(value);
  const count = Object.keys(value).length;
  return count === 1 ? "1 field" : `${count} fields`;
}

/** Lines for the differences between two values. */
function differ(name: string, before: unknown, after: unknown, depth: number): DisplayLine[] {
  if (isRecord(before) && isRecord(after) && Array.isArray(before) === Array.isArray(after) && depth < DEEPEST)
    return [{ mark: "", depth, name, text: "" }, ...differFields(before, after, depth + 1)];
  return [
    ...(before === undefined ? [] : [{ mark: "-", depth, name, text: outline(before) } as const]),
    ...(after === undefined ? [] : [{ mark: "+", depth, name, text: outline(after) } as const]),
  ];
}

function differFields(before: Fields, after: Fields, depth: number): DisplayLine[] {
  const lines: DisplayLine[] = [];
  let stayed = 0;
  for (const name of Object.keys({ ...before, ...after })) {
    if (!isSame(before[name], after[name])) lines.push(...differ(name, before[name], after[name], depth));
    else if (++stayed <= MAX_UNCHANGED) lines.push({ mark: "", depth, name, text: outline(after[name]) });
  }
  const hidden = stayed - MAX_UNCHANGED;
  return hidden > 0 ? [...lines, { mark: "", depth, name: "…", text: `${hidden} more that stayed` }] : lines;
}

/** States share unchanged values; an equal copy counts as unchanged too. */
function isSame(before: unknown, after: unknown): boolean {
  if (Object.is(before, after)) return true;
  if (!isRecord(before) || !isRecord(after)) return false;
  const names = Object.keys({ ...before, ...after });
  return names.every((name) => isSame(before[name], after[name]));
}

/** The state after a step by slice, with the step's changes. */
export function changesBetween(before: object, after: object): DisplaySlice[] {
  const [old, now] = [before as Fields, after as Fields];
  return Object.keys(now).map((name) => {
    const [from, to] = [old[name], now[name]];
    const isChanged = !isSame(from, to);
    const lines = !isChanged
      ? []
      : isRecord(from) && isRecord(to)
        ? differFields(from, to, 1)
        : differ(name, from, to, 1);
    return { name, isChanged, summary: summary(to), lines };
  });
}

export function countChanges(slices: readonly DisplaySlice[]): number {
  const changed = slices.flatMap(({ lines }) => lines.filter(({ mark }) => mark !== ""));
  const places = changed.map(({ depth, name }, index) => {
    const pair = changed[index - 1];
    return changed[index]?.mark === "+" && pair?.mark === "-" && pair.name === name && pair.depth === depth ? 0 : 1;
  });
  return places.reduce<number>((sum, one) => sum + one, 0);
}
