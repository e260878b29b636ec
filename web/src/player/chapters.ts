/** A part of a recording that has a name. Seconds. */
export interface Chapter {
  readonly id: number;
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** The chapter that `time` is in: of those that overlap the one that began last. */
export const chapterAt = (chapters: readonly Chapter[], time: number): Chapter | undefined =>
  chapters.filter(({ start, end }) => start <= time && time < end).at(-1);

/** Where the next chapter begins, or the one before; undefined where there is none. A press right after a beginning goes behind it. */
export function chapterBeside(chapters: readonly Chapter[], time: number, direction: 1 | -1): number | undefined {
  if (direction === 1) return chapters.find(({ start }) => start > time + 0.5)?.start;
  return chapters.findLast(({ start }) => start < time - 2)?.start;
}
