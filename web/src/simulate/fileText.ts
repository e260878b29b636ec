import { LONGEST_FILE } from "./recording";

/** A file that is longer than any recording, as it is or unpacked. */
export class FileTooLong extends Error {
  constructor() {
    super(`larger than ${LONGEST_FILE / 1024 / 1024} MB`);
    this.name = "FileTooLong";
  }
}

/** The text of a file; that of a compressed one, as the worker stores it, unpacked. Throws `FileTooLong`. */
export async function fileText(file: File): Promise<string> {
  if (file.size > LONGEST_FILE) throw new FileTooLong();
  const bytes = new Uint8Array(await file.arrayBuffer());
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return isGzip ? unpacked(bytes) : new TextDecoder().decode(bytes);
}

async function unpacked(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const { writable, readable } = new DecompressionStream("gzip");
  const writer = writable.getWriter();
  // A damaged file fails the reading below too.
  writer
    .write(bytes)
    .then(() => writer.close())
    .catch(() => undefined);
  const reader = readable.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.length;
    if (size > LONGEST_FILE) {
      await reader.cancel();
      throw new FileTooLong();
    }
    text += decoder.decode(value, { stream: true });
  }
}
