/** A named part of a recording. Times in seconds. */
export interface Chapter {
  readonly id: number;
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** The chapter at `time`; of overlapping ones, the one that started last. */
export const chapterAt = (chapters: readonly Chapter[], time: number): Chapter | undefined =>
  chapters.filter(({ start, end }) => start <= time && time < end).at(-1);

/**
 * The start of the next or previous chapter; undefined if there is none. Shortly after a start, "previous" means the
 * chapter before.
 */
export function chapterBeside(chapters: readonly Chapter[], time: number, direction: 1 | -1): number | undefined {
  if (direction === 1) return chapters.find(({ start }) => start > time + 0.5)?.start;
  return chapters.findLast(({ start }) => start < time - 2)?.start;
}
