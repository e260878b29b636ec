import { describe, expect, it, vi } from "vitest";
import { type KeyTarget, press } from "./keys";
import type { Playback } from "./playback";

function target() {
  const commands = {
    play: vi.fn(),
    pause: vi.fn(),
    seek: vi.fn(),
    seekBy: vi.fn(),
    changeVolume: vi.fn(),
    toggleMute: vi.fn(),
    setRate: vi.fn(),
    goLive: vi.fn(),
  };
  const acts = {
    onFullscreen: vi.fn(),
    onPip: vi.fn(),
    onClip: vi.fn(),
    onHelp: vi.fn(),
    onCaptions: vi.fn(),
    onCaptionLook: vi.fn(),
    onNext: vi.fn(),
    onTheatre: vi.fn(),
  };
  const playback = { at: "paused", time: 5, start: 0, end: 100, rate: 1 } as unknown as Playback;
  return {
    commands,
    acts,
    all: { commands, playback, live: false, hasVolume: true, chapters: [], ...acts } as unknown as KeyTarget,
  };
}

const callsOf = (functions: { readonly [name: string]: { mock: { calls: unknown[] } } }) =>
  Object.values(functions).reduce((sum, { mock }) => sum + mock.calls.length, 0);

describe("a held key", () => {
  it.each([" ", "k", "Enter", "m", "f", "i", "c", "t", "x", "?", "w", "o", "shift+n", "0", "Home", "<"])(
    "acts once: %s",
    (key) => {
      const { commands, acts, all } = target();
      expect(press(key, all, false)).toBe(true);
      // The page doesn't scroll either.
      for (let i = 0; i < 30; i += 1) expect(press(key, all, true)).toBe(true);
      expect(callsOf(commands) + callsOf(acts)).toBe(1);
    },
  );

  it.each(["j", "l", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"])("seeks or changes the volume: %s", (key) => {
    const { commands, all } = target();
    for (let i = 0; i < 30; i += 1) press(key, all, i > 0);
    expect(callsOf(commands)).toBe(30);
  });

  it("that isn't the player's is left to the page", () => {
    expect(press("q", target().all, true)).toBe(false);
  });
});
