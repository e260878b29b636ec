import type { Page } from "@playwright/test";

/** A video's position and its time, in Unix milliseconds. */
export interface Move {
  readonly at: number;
  readonly time: number;
}

/** A move at which a video plays. */
export interface PlayingMove extends Move {
  /** Time of the first moving picture before it, in Unix milliseconds. */
  readonly beganAt: number;
}

/** Records the position of the page's video every 20 ms. */
export async function probe(page: Page): Promise<void> {
  await page.evaluate(() => {
    const noted: Move[] = [];
    (window as never as { moves: Move[] }).moves = noted;
    setInterval(() => {
      // Another player's page may have its video out of a selector's reach.
      const getVideo = (globalThis as { theVideo?: () => HTMLVideoElement | null }).theVideo;
      const time = (getVideo ? getVideo() : document.querySelector("video"))?.currentTime ?? -1;
      if (time !== noted.at(-1)?.time) noted.push({ at: Date.now(), time });
    }, 20);
  });
}

/**
 * The time and position at which it played again after that moment; null: not yet. Its first move may be a seek, and a
 * library's nudge moves a stalled picture by a tenth of a second: it counts as playing after a third of one.
 */
export const playsSince = (page: Page, since: number): Promise<PlayingMove | null> =>
  page.evaluate((after) => {
    const later = (window as never as { moves: Move[] }).moves.filter(({ at }) => at >= after);
    const plays = (from: number | undefined, to: number | undefined) => {
      const step = (to ?? 0) - (from ?? 0);
      return step > 0 && step < 0.5;
    };
    const isPlaying = (move: Move, from: number) => {
      const until = later.findIndex(({ time }, at) => at >= from && !plays(later[at - 1]?.time, time));
      const last = later.at(until < 0 ? -1 : until - 1) ?? move;
      const speed = last.at - move.at > 0 ? (last.time - move.time) / ((last.at - move.at) / 1_000) : 0;
      return last.time - move.time > 0.3 && speed > 0.4;
    };
    const steps = later.filter((move, at) => plays(later[at - 1]?.time, move.time));
    const found = steps.find((move) => isPlaying(move, later.indexOf(move) + 1));
    return found ? { ...found, beganAt: steps[0]?.at ?? found.at } : null;
  }, since);

/** The furthest second that it reached after that moment, once it was sought to `from`. */
export const furthestSince = (page: Page, since: number, from: number): Promise<number> =>
  page.evaluate(
    ([after, sought]) => {
      const later = (window as never as { moves: Move[] }).moves.filter(({ at }) => at >= after);
      const arrived = later.findIndex(({ time }) => Math.abs(time - sought) < 0.5);
      return Math.max(sought, ...later.slice(arrived < 0 ? later.length : arrived).map(({ time }) => time));
    },
    [since, from] as const,
  );

/** Its positions since that moment, every half second and at each jump, for diagnosis. */
export const positionsSince = (page: Page, since: number): Promise<string> =>
  page.evaluate((after) => {
    const all = (window as never as { moves: Move[] }).moves.filter(({ at }) => at >= after);
    const sampled = all.filter(({ at, time }, nth) => {
      const before = all[nth - 1];
      return !before || Math.abs(time - before.time) > 0.5 || Math.floor(at / 500) !== Math.floor(before.at / 500);
    });
    return sampled.map(({ at, time }) => `${((at - after) / 1_000).toFixed(1)} s: ${time.toFixed(2)}`).join(", ");
  }, since);

/** Whether the buffer is empty for the moment. */
export const isStalled = (page: Page): Promise<boolean> =>
  page.locator("video").evaluate((video: HTMLVideoElement) => video.readyState < 3);
