/** Whether this browser compresses: those before 2023 do not. */
export const canCompress = (): boolean => typeof CompressionStream !== "undefined";

/** A text as gzip. */
export async function gzip(text: string): Promise<ArrayBuffer> {
  const { writable, readable } = new CompressionStream("gzip");
  const writer = writable.getWriter();
  const written = writer.write(new TextEncoder().encode(text)).then(() => writer.close());
  const [packed] = await Promise.all([new Response(readable).arrayBuffer(), written]);
  return packed;
}
