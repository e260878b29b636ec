import { createReadStream } from "node:fs";
import { gunzipSync } from "node:zlib";
import { DAMAGED, isPacked, MAX_FILE_BYTES, TOO_LONG } from "../src/eventlog/file";

/** The text of a file, decompressed if necessary. Throws if it is damaged, or longer than any recording. */
export async function readText(path: string): Promise<string> {
  const chunks: Buffer[] = [];
  // A device has no end: at most one byte above the limit is read.
  for await (const chunk of createReadStream(path, { end: MAX_FILE_BYTES })) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  if (bytes.length > MAX_FILE_BYTES) throw new Error(TOO_LONG);
  return (isPacked(bytes) ? unpacked(bytes) : bytes).toString("utf8");
}

function unpacked(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_FILE_BYTES });
  } catch (error) {
    throw new Error((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE" ? TOO_LONG : DAMAGED);
  }
}
