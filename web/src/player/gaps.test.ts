import type Hls from "hls.js";
import { expect, it } from "vitest";
import { awaitingGaps } from "./gaps";

const segment = (start: number, gap = false) => ({ start, duration: 4, gap, type: "main" });

/** Returns the jump over the hole from 11.9, with 8 to 12 and 16 to 24 loaded; 0 for none. */
function moves(segments: readonly ReturnType<typeof segment>[], tracked: readonly number[], live = false): number {
  class DefaultGapController {
    hls = { latestLevelDetails: { fragments: segments, live } };
    media = { currentTime: 11.9, buffered: { length: 2, start: (at: number) => [8, 16][at] } };
    fragmentTracker = {
      getBufferedFrag: (time: number) => tracked.find((start) => start <= time && time <= start + 4) ?? null,
    };
    _trySkipBufferHole(): number {
      return 16.1;
    }
  }
  const Awaiting = awaitingGaps({
    DefaultConfig: { gapController: DefaultGapController },
  } as unknown as typeof Hls) as unknown as typeof DefaultGapController;
  return new Awaiting()._trySkipBufferHole();
}

it("a segment that has not come is waited for, and a hole where nothing is to come is jumped (MEDIA-6)", () => {
  const all = [segment(8), segment(12), segment(16), segment(20)];
  expect(moves(all, [8, 16, 20])).toBe(0);
  expect(moves(all, [8, 12, 16, 20]), "it came, and holds less than it says").toBe(16.1);
  expect(moves([segment(8), segment(12, true), segment(16)], [8, 16]), "its channel says that it is missing").toBe(
    16.1,
  );
  expect(moves(all, [8, 16, 20], true), "a live stream").toBe(16.1);
  expect(moves([segment(8), segment(16)], [8, 16]), "a playlist that jumps").toBe(16.1);
});
