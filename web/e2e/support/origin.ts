import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  ".m3u8": "application/vnd.apple.mpegurl",
  ".m4s": "video/mp4",
  ".mp4": "video/mp4",
  ".html": "text/html",
};

/** A media server on an origin of its own. */
export interface Origin {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** The requested paths. */
  readonly requested: readonly string[];
  /** Answers instead of the files; false: the file. */
  answer: (request: IncomingMessage, response: ServerResponse) => boolean;
  close(): void;
}

/** Serves the files below a folder to pages of any origin. */
export async function serveFolder(folder: string): Promise<Origin> {
  const requested: string[] = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://any").pathname;
    requested.push(path);
    response.setHeader("access-control-allow-origin", "*");
    if (origin.answer(request, response)) return;
    const file = join(folder, normalize(path));
    if (!existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.setHeader("content-type", TYPES[extname(file)] ?? "application/octet-stream");
    response.setHeader("cache-control", "no-store");
    // A restarting encoder may remove its files in between.
    createReadStream(file)
      .on("error", () => response.destroy())
      .pipe(response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const origin: Origin = {
    url: `http://127.0.0.1:${port}`,
    requested,
    answer: () => false,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return origin;
}
