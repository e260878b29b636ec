import type { Line } from "../eventlog/envelope";

/** The position of each step on the timeline, which may shorten idle time. */
export interface Axis {
  /** Milliseconds from the first line. */
  readonly at: readonly number[];
  readonly length: number;
  /** The page's clock at each step: milliseconds since the page load. */
  readonly clock: readonly number[];
}

/** Maximum length of idle time when it is skipped. */
const IDLE_MS = 3_000;

/** Places positions by the page's monotonic clock. */
export function layAxis(lines: readonly Line[], skipIdle: boolean): Axis {
  const at = [0];
  let last = lines[0]?.mono ?? 0;
  let x = 0;
  for (const { mono } of lines) {
    const passed = Math.max(0, mono - last);
    x += skipIdle ? Math.min(passed, IDLE_MS) : passed;
    last = mono;
    at.push(x);
  }
  const [first] = lines;
  return { at, length: Math.max(1, x), clock: [first?.mono ?? 0, ...lines.map(({ mono }) => mono)] };
}

/** The page's clock at a point of the axis. It jumps where idle time was shortened. */
export function clockAt({ at, clock }: Axis, moment: number): number {
  const position = positionAt({ at }, moment);
  return (clock[position] ?? 0) + Math.max(0, moment - (at[position] ?? 0));
}

/** The last position at or before a time. */
export function positionAt({ at }: Pick<Axis, "at">, moment: number): number {
  let low = 0;
  let high = at.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((at[middle] as number) <= moment) low = middle;
    else high = middle - 1;
  }
  return low;
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14_400].map((seconds) => seconds * 1000);
const MAX_TICKS = 10;

/** Round times for the ruler. */
export function ticks({ length }: Pick<Axis, "length">): number[] {
  const step = STEPS.find((one) => length / one <= MAX_TICKS) ?? length / MAX_TICKS;
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, index) => index * step);
}

/** `6:08.4`, with hours if necessary. */
export function clockText(ms: number, tenths = true): string {
  const seconds = Math.floor(ms / 1000);
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60];
  const hours = Math.floor(seconds / 3600);
  const padded = parts.map((part, index) =>
    index === 0 && hours === 0 ? String(part) : String(part).padStart(2, "0"),
  );
  const text = [...(hours > 0 ? [String(hours)] : []), ...padded].join(":");
  return tenths ? `${text}.${Math.floor(ms / 100) % 10}` : text;
}
