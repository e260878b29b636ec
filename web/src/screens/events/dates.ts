/** Days of the viewer's calendar, as `2026-11-21`. */

const SHAPE = /^\d{4}-\d{2}-\d{2}$/;
const two = (value: number) => String(value).padStart(2, "0");

export function dayOf(ms: number): string {
  const at = new Date(ms);
  return `${String(at.getFullYear()).padStart(4, "0")}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** Start of a day in Unix milliseconds. */
export function startOf(day: string): number {
  const [year = 1970, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date).getTime();
}

export function daysLater(day: string, days: number): string {
  const [year = 1970, month = 1, date = 1] = day.split("-").map(Number);
  return dayOf(new Date(year, month - 1, date + days).getTime());
}

/** Parses a day; null if the text isn't one. */
export function dayNamed(text: string | null): string | null {
  if (text === null || !SHAPE.test(text)) return null;
  const at = startOf(text);
  return Number.isNaN(at) || dayOf(at) !== text ? null : text;
}

/** Counts starts (Unix seconds) by day. */
export function countByDay(starts: readonly number[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const start of starts) {
    const day = dayOf(start * 1_000);
    counts.set(day, (counts.get(day) ?? 0) + 1);
  }
  return counts;
}
