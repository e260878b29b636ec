import { DAMAGED, isPacked, MAX_FILE_BYTES, TOO_LONG } from "../eventlog/file";

/** Reads a file as text, decompressing it if necessary. Throws if it is damaged or too large. */
export async function fileText(file: File): Promise<string> {
  if (file.size > MAX_FILE_BYTES) throw new Error(TOO_LONG);
  const bytes = new Uint8Array(await file.arrayBuffer());
  return isPacked(bytes) ? unpacked(bytes) : new TextDecoder().decode(bytes);
}

async function unpacked(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const { writable, readable } = new DecompressionStream("gzip");
  const writer = writable.getWriter();
  // A damaged file also makes the read below fail.
  writer
    .write(bytes)
    .then(() => writer.close())
    .catch(() => undefined);
  const reader = readable.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new Error(DAMAGED);
    });
    if (done) return text + decoder.decode();
    size += value.length;
    if (size > MAX_FILE_BYTES) {
      await reader.cancel();
      throw new Error(TOO_LONG);
    }
    text += decoder.decode(value, { stream: true });
  }
}
