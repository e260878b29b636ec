import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isWholePlaylist, isWholeSegment } from "./bodies";

const stream = join(import.meta.dirname, "../../../fixtures/channels/northfield/media/hls/court");
const bytes = (file: string): ArrayBuffer => new Uint8Array(readFileSync(join(stream, file))).buffer;
const text = (file: string): string => readFileSync(join(stream, file), "utf8");
const html = new TextEncoder().encode("<!doctype html><title>Wi-Fi</title>").buffer as ArrayBuffer;

describe("a segment", () => {
  it.each(["v0/init_0.mp4", "v0/seg_000.m4s", "v1/seg_009.m4s"])("of the demo is whole: %s", (file) => {
    expect(isWholeSegment(bytes(file))).toBe(true);
  });

  it("that was cut short anywhere is not", () => {
    const whole = bytes("v1/seg_003.m4s");
    for (const share of [0.01, 0.3, 0.5, 0.9]) {
      expect(isWholeSegment(whole.slice(0, Math.floor(whole.byteLength * share)))).toBe(false);
    }
    expect(isWholeSegment(whole.slice(0, -1))).toBe(false);
    expect(isWholeSegment(new ArrayBuffer(0))).toBe(false);
  });

  it("of a transport stream ends with a packet", () => {
    const packets = new Uint8Array(188 * 3);
    packets[0] = 0x47;
    expect(isWholeSegment(packets.buffer)).toBe(true);
    expect(isWholeSegment(packets.buffer.slice(0, 300))).toBe(false);
  });

  it("is no page of HTML", () => {
    expect(isWholeSegment(html)).toBe(false);
  });
});

describe("a playlist", () => {
  it("of the demo is whole", () => {
    expect(isWholePlaylist(text("master.m3u8"))).toBe(true);
    expect(isWholePlaylist(text("v0/index.m3u8"))).toBe(true);
  });

  it("that was cut short is not: a recording would pass for a live stream", () => {
    const whole = text("v0/index.m3u8");
    for (let end = 0; end < whole.trimEnd().length; end += 7) expect(isWholePlaylist(whole.slice(0, end))).toBe(false);
    const live = whole.replace(/#EXT-X-(PLAYLIST-TYPE:VOD|ENDLIST)\n/g, "");
    expect(isWholePlaylist(live)).toBe(true);
    expect(isWholePlaylist(live.slice(0, live.lastIndexOf("seg_")))).toBe(false);
  });
});
