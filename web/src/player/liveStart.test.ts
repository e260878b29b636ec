import { expect, it } from "vitest";
import { beginningAt } from "./liveStart";

const playlist = `#EXTM3U\n#EXT-X-START:TIME-OFFSET=-3\n#EXT-X-MEDIA-SEQUENCE:10\n${"#EXTINF:4,\na.m4s\n".repeat(6)}`;
const startOf = (text: string) => /^#EXT-X-START:TIME-OFFSET=(.*)$/gm.exec(text)?.[1];
const startAfter = (segment: number | null, behind = 0, now = 0) => {
  const position = segment === null ? null : { segment, into: 1.5 };
  return startOf(beginningAt(playlist, { position: position, behind, at: 0 }, now));
};

it("names where whoever watched from behind goes on, before anything is asked for (MEDIA-6)", () => {
  expect(startAfter(12)).toBe("9.500");
  expect(startAfter(7), "past the window: its oldest").toBe("0.500");
  expect(startAfter(40), "its newest").toBe("24.000");
  expect(startAfter(null, 10, 4_000), "by the clock").toBe("10.000");
  expect(startAfter(null, 40), "by the clock, past the window").toBe("0.500");
  expect(beginningAt(playlist, { position: null, behind: 0, at: 0 }, 0).match(/EXT-X-START/g)).toHaveLength(1);
});

it("leaves a playlist of playlists, and one that ends, as they are", () => {
  for (const other of ["#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv0.m3u8\n", `${playlist}#EXT-X-ENDLIST\n`])
    expect(beginningAt(other, { position: null, behind: 0, at: 0 }, 0)).toBe(other);
});
