import { expect, it } from "vitest";
import { createPlaylistContinuity } from "./playlistContinuity";

const playlist = (first: number, segments: number): string =>
  `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:${first}\n${"#EXTINF:1,\na.m4s\n".repeat(segments)}`;

it("tells a playlist whose numbers went back from one that goes on, and from an earlier copy (LIVE-7)", () => {
  const continuity = createPlaylistContinuity(() => 0);
  const isSame = (text: string, name = "level 0") => continuity.continues("level", name, text);
  expect(isSame(playlist(10, 6))).toBe(true);
  expect(isSame(playlist(12, 6))).toBe(true);
  expect(isSame(playlist(10, 6)), "a cache's copy").toBe(true);
  expect(isSame(playlist(0, 1), "level 1"), "each playlist has its own numbers").toBe(true);
  expect(isSame(playlist(0, 3))).toBe(false);
  expect(isSame(playlist(1, 6)), "until it is read anew").toBe(false);
  expect(isSame(playlist(17, 2))).toBe(true);
  const master = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv0/index.m3u8\n";
  expect(isSame(master)).toBe(true);
  expect(isSame("#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:4\n#EXT-X-SKIP:SKIPPED-SEGMENTS=12\n#EXTINF:1,\na\n")).toBe(true);
});

it("tells a playlist that shares nothing with what was read of any quality, long ago (MEDIA-6)", () => {
  let now = 0;
  const continuity = createPlaylistContinuity(() => now);
  const continues = (text: string, name: string) => continuity.continues("level", name, text);
  expect(continues(playlist(10, 6), "level 0")).toBe(true);
  expect(continues(playlist(70, 6), "level 1"), "qualities that count apart").toBe(true);
  now = 10_000;
  expect(continues(playlist(75, 6), "level 0"), "one that was left while another was read").toBe(true);
  now = 40_000;
  expect(continues(playlist(105, 6), "level 2"), "of a quality that was never read").toBe(false);
  expect(continues(playlist(105, 6), "level 0")).toBe(false);
});
