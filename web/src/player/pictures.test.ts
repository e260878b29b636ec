// @vitest-environment jsdom
import type Hls from "hls.js";
import { afterEach, expect, it, vi } from "vitest";
import { keyFramesOf } from "./pictures";

afterEach(() => {
  vi.useRealTimers();
});

/** A fake library that records its picture players' requests and fails on demand. */
function library() {
  const players: { asked: number[]; gone: boolean; fail: () => void; attach: () => void }[] = [];
  const createIFramePlayer = () => {
    const mine: (typeof players)[number] = { asked: [], gone: false, fail: () => {}, attach: () => {} };
    players.push(mine);
    return {
      on: (event: string, told: (event: string, data: { fatal: boolean }) => void) => {
        if (event === "error") mine.fail = () => told(event, { fatal: true });
        else mine.attach = () => told(event, { fatal: false });
      },
      attachMedia: () => undefined,
      loadMediaAt: (time: number) => mine.asked.push(time),
      destroy: () => {
        mine.gone = true;
      },
    };
  };
  const Library = {
    DefaultConfig: {},
    Events: { ERROR: "error", MEDIA_ATTACHED: "attached" },
  } as unknown as typeof Hls;
  return { players, Library, hls: { iframeVariants: [{}], createIFramePlayer } as unknown as Hls };
}

it("a picture that does not come, or fails, is asked for again while somebody looks for it (MEDIA-9)", async () => {
  vi.useFakeTimers();
  const video = document.createElement("video");
  const { players, Library, hls } = library();
  const pictures = keyFramesOf(Library, hls, video);
  pictures?.show(20);
  pictures?.show(24);
  // A playlist that arrives before the video would end the request.
  expect(players[0]?.asked).toEqual([]);
  players[0]?.attach();
  await vi.advanceTimersByTimeAsync(3_000);
  players[1]?.attach();
  expect(players.map(({ asked, gone }) => [asked, gone])).toEqual([
    [[24], true],
    [[24], false],
  ]);
  players[1]?.fail();
  await vi.advanceTimersByTimeAsync(500);
  players[2]?.attach();
  expect(players.map(({ gone }) => gone)).toEqual([true, true, false]);
  video.dispatchEvent(new Event("seeked"));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(players).toHaveLength(3);
  pictures?.show(30);
  pictures?.close();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(players.map(({ asked }) => asked)).toEqual([[24], [24], [24, 30]]);
});
