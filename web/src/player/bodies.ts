/** Top-level boxes of ISO BMFF files and segments (ISO/IEC 14496-12). */
const BOXES: ReadonlySet<string> = new Set([
  ..."emsg free ftyp mdat meta mfra moof moov pdin prft sidx skip ssix styp uuid wide".split(" "),
]);
const PACKET = 188;
const SYNC = 0x47;
const LESS_THAN = 0x3c;

function boxesFit(view: DataView): boolean {
  let at = 0;
  while (at + 8 <= view.byteLength) {
    const size = view.getUint32(at);
    // 0: to the end of the file. 1: the size follows as 64 bits.
    if (size === 0) return true;
    const whole = size === 1 && at + 16 <= view.byteLength ? Number(view.getBigUint64(at + 8)) : size;
    if (whole < 8) return false;
    at += whole;
  }
  return at === view.byteLength;
}

const kindOf = (view: DataView): string =>
  view.byteLength < 8 ? "" : String.fromCharCode(...[4, 5, 6, 7].map((at) => view.getUint8(at)));

/**
 * Whether a segment is complete, as far as its container shows: a fragmented MP4 ends with a box, a transport stream
 * with a packet. An HTML page is neither. Nothing else reveals a response that a proxy truncated and gave a new length.
 */
export function isWholeSegment(body: ArrayBuffer): boolean {
  if (body.byteLength === 0) return false;
  const view = new DataView(body);
  if (BOXES.has(kindOf(view))) return boxesFit(view);
  const first = view.getUint8(0);
  if (first === SYNC) return view.byteLength % PACKET === 0;
  return first !== LESS_THAN;
}

/** Whether a playlist is complete: a recording's has an end tag, and every announced segment has an address. */
export function isWholePlaylist(text: string): boolean {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  if (!lines[0]?.startsWith("#EXTM3U")) return false;
  if (lines.includes("#EXT-X-PLAYLIST-TYPE:VOD") && !lines.includes("#EXT-X-ENDLIST")) return false;
  // An announced segment without an address: truncated, or not available yet.
  return (
    lines.some((line) => !line.startsWith("#")) &&
    !/^#(?:EXTINF|EXT-X-STREAM-INF|EXT-X-BYTERANGE)\b/.test(lines.at(-1) ?? "")
  );
}
