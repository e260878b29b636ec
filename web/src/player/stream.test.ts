// @vitest-environment jsdom
import { afterEach, expect, it, vi } from "vitest";
import type { AttachHandlers, Attachment, LiveWindow } from "./attach";
import { openStream } from "./stream";

const SEGMENT = 4;
const none = () => undefined;

/** Attachments in order. Each places segment `first` at 0 of its own timeline. */
const attached: { handlers: AttachHandlers; first: number; window: LiveWindow | null }[] = [];
vi.mock("./attach", () => ({
  attach: async (...[, , , , handlers]: Parameters<typeof import("./attach").attach>): Promise<Attachment> => {
    const mine: (typeof attached)[number] = { handlers, first: 0, window: null };
    attached.push(mine);
    return {
      qualities: () => [],
      chooseQuality: none,
      chooseAudio: none,
      live: () => mine.window,
      positionOf: (time) => ({ segment: mine.first + Math.floor(time / SEGMENT), into: time % SEGMENT }),
      timeOf: ({ segment, into }) => (segment - mine.first) * SEGMENT + into,
      isQuiet: () => false,
      resume: none,
      mend: none,
      renew: none,
      pictures: () => null,
      detach: none,
    };
  },
}));

/** A fake media element with what a stream uses. */
function element() {
  const state = { currentTime: 0, readyState: 0, error: null };
  const video = document.createElement("video");
  for (const name of ["currentTime", "readyState", "error"] as const)
    Object.defineProperty(video, name, {
      get: () => state[name],
      set: (value: never) => {
        state[name] = value;
      },
    });
  const buffered = { length: 0, start: () => 0, end: () => 0 };
  Object.defineProperties(video, { paused: { value: false }, buffered: { value: buffered } });
  video.play = () => Promise.resolve();
  return { video, state };
}

afterEach(() => {
  vi.useRealTimers();
  attached.length = 0;
});

const last = () => attached.at(-1) as (typeof attached)[number];
const broken = async () => {
  last().handlers.onFault({ cause: "decoder" });
  await vi.advanceTimersByTimeAsync(0);
};

const handlers = {
  onRecovery: none,
  onFault: none,
  onSilenced: none,
  onNotAllowed: none,
  onQualities: none,
  onAudioTracks: () => -1,
  onQuality: none,
};

/** A recording at second 12. */
async function atSecond12() {
  vi.useFakeTimers();
  const { video, state } = element();
  const source = { url: "/recording.m3u8", startAt: 0, expires: null, renew: undefined };
  const stream = openStream(video, source, handlers, { now: Date.now, channelNow: Date.now, draw: () => 0 });
  await vi.advanceTimersByTimeAsync(0);
  state.readyState = 4;
  video.dispatchEvent(new Event("loadedmetadata"));
  stream.seek(12);
  await vi.advanceTimersByTimeAsync(1_000);
  return { stream, video, state };
}

it("a decoder that the library resets by itself plays on where it stood (MEDIA-6)", async () => {
  const { stream, video, state } = await atSecond12();

  // Two resets in a row; at the second the element is at 0 already.
  for (const _ of [1, 2]) {
    Object.assign(state, { currentTime: 0, readyState: 0 });
    video.dispatchEvent(new Event("emptied"));
    await vi.advanceTimersByTimeAsync(300);
    state.readyState = 1;
    video.dispatchEvent(new Event("loadedmetadata"));
    await vi.advanceTimersByTimeAsync(0);
  }
  expect(state.currentTime).toBe(12);
  stream.close();
});

it("a reset decoder leaves the seek bar as it was, and a viewer who seeks meanwhile continues there (MEDIA-6)", async () => {
  const { stream, video, state } = await atSecond12();
  const seekable = { length: 1, start: () => 0, end: () => 36 };
  Object.defineProperty(video, "seekable", { value: seekable });
  expect(stream.seekPosition()).toEqual({ time: 12, start: 0, end: 36 });

  // An element whose decoder failed claims to be at its end.
  Object.assign(state, { currentTime: 36, error: {} });
  expect(stream.seekPosition()).toEqual({ time: 12, start: 0, end: 36 });
  await broken();
  Object.assign(state, { currentTime: 0, readyState: 0, error: null });
  seekable.length = 0;
  video.dispatchEvent(new Event("emptied"));
  expect(stream.seekPosition()).toEqual({ time: 12, start: 0, end: 36 });
  stream.seek(stream.seekPosition().time + 10);
  // The library loads where the decoder was reset.
  Object.assign(state, { currentTime: 12, readyState: 1 });
  video.dispatchEvent(new Event("loadedmetadata"));
  expect(state.currentTime).toBe(22);
  stream.close();
});

/** A live stream at second 29, which is in segment 17 and 6 s behind the edge. */
async function behindTheEdge() {
  vi.useFakeTimers();
  const { video, state } = element();
  const source = { url: "/live.m3u8", startAt: 0, expires: null, renew: undefined };
  const stream = openStream(video, source, handlers, { now: Date.now, channelNow: Date.now, draw: () => 0 });
  await vi.advanceTimersByTimeAsync(0);
  Object.assign(last(), { first: 10, window: { start: 23, edge: 35, end: 47, age: 1 } });
  state.readyState = 4;
  last().handlers.onLoaded();
  stream.seek(29);
  await vi.advanceTimersByTimeAsync(1_000);
  return { stream, video, state };
}

it("a viewer behind the live edge is where they were, however often the stream is loaded anew (MEDIA-6)", async () => {
  const { stream, video, state } = await behindTheEdge();

  // Reset once, then reloaded; the reloaded stream is broken too, with a known window and the element at 0.
  await broken();
  await broken();
  expect(attached).toHaveLength(2);
  Object.assign(state, { currentTime: 0, readyState: 1 });
  Object.assign(last(), { first: 16, window: { start: 0, edge: 12, end: 24, age: 0 } });
  video.dispatchEvent(new Event("loadedmetadata"));
  await vi.advanceTimersByTimeAsync(1_000);
  await broken();
  expect(attached).toHaveLength(3);
  Object.assign(last(), { first: 16, window: { start: 0, edge: 12, end: 24, age: 3 } });
  last().handlers.onLoaded();
  // Second 29 of the first timeline is in segment 17.
  expect(state.currentTime).toBe((17 - 16) * SEGMENT + 1);
  stream.close();
});

it("a viewer who seeks while a live stream is loaded anew continues there (MEDIA-6)", async () => {
  const { stream, video, state } = await behindTheEdge();
  const before = stream.seekPosition();
  await broken();
  await broken();
  Object.assign(state, { currentTime: 0, readyState: 0 });
  video.dispatchEvent(new Event("emptied"));
  expect(stream.seekPosition()).toEqual(before);
  stream.seek(25);
  expect(stream.seekPosition()).toEqual({ ...before, time: 25 });
  Object.assign(state, { readyState: 1 });
  Object.assign(last(), { first: 15, window: { start: 0, edge: 12, end: 24, age: 0 } });
  last().handlers.onLoaded();
  // Second 29 of the first timeline is in segment 17, and this one starts with segment 15.
  expect(state.currentTime).toBe((17 - 15) * SEGMENT + 1 - 4);
  stream.close();
});

it("what came of a live stream that is loaded anew, and was broken at once, moves nobody (MEDIA-6)", async () => {
  const { stream, state } = await behindTheEdge();
  await broken();
  await broken();
  for (const count of [2, 3]) {
    expect(attached).toHaveLength(count);
    Object.assign(state, { currentTime: 0, readyState: 1 });
    Object.assign(last(), { first: 16, window: { start: 0, edge: 12, end: 24, age: 0 } });
    last().handlers.onLoaded();
    expect(state.currentTime, `loaded anew, ${count}`).toBe((17 - 16) * SEGMENT + 1);
    // The decoder fails again before the clock advances.
    await broken();
  }
  stream.close();
});

it.each([-3, 24, 400 * 24, -400 * 24])(
  "an address is renewed by the channel's clock, %d h off (MEDIA-5)",
  async (hours) => {
    vi.useFakeTimers();
    const { video } = element();
    const channelNow = () => Date.now() - hours * 3_600_000;
    let renewed = 0;
    const renew = async () => {
      renewed += 1;
      return { url: "/recording.m3u8?2", expires: null };
    };
    const source = { url: "/recording.m3u8", startAt: 0, expires: channelNow() + 6 * 3_600_000, renew };
    const stream = openStream(video, source, handlers, { now: Date.now, channelNow, draw: () => 0 });
    await vi.advanceTimersByTimeAsync(5.8 * 3_600_000);
    expect(renewed).toBe(0);
    await vi.advanceTimersByTimeAsync(0.1 * 3_600_000);
    expect(renewed).toBe(1);
    stream.close();
  },
);
