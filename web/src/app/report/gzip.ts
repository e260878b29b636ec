/** Whether the browser supports compression (since 2023). */
export const canCompress = (): boolean => typeof CompressionStream !== "undefined";

export async function gzip(text: string): Promise<ArrayBuffer> {
  const { writable, readable } = new CompressionStream("gzip");
  const writer = writable.getWriter();
  const written = writer.write(new TextEncoder().encode(text)).then(() => writer.close());
  const [packed] = await Promise.all([new Response(readable).arrayBuffer(), written]);
  return packed;
}
