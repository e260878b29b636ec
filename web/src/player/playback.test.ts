import { describe, expect, it } from "vitest";
import { behindLive, IDLE, LIVE_SLACK } from "./playback";

describe("a live stream", () => {
  const at = (time: number) => behindLive({ ...IDLE, time, end: 100 });

  it("is at live within the seconds that a player keeps in hand", () => {
    expect(at(100)).toBe(0);
    expect(at(100 - LIVE_SLACK)).toBe(0);
  });

  it("is as far behind as it was sought back", () => {
    expect(at(70)).toBe(30);
  });
});
