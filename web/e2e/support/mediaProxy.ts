import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from "node:http";
import type { AddressInfo } from "node:net";
import { passWebSockets } from "./webSockets";
import type { Worker } from "./worker";

/** Faults applied to an answer in transit. */
export const FAULTS = [
  "unanswered",
  "403",
  "404",
  "500",
  "half body",
  "short body",
  "wrong MIME",
  "broken picture",
] as const;
export type FaultKind = (typeof FAULTS)[number] | "hang";

/** The answers of a stream to spoil. */
export interface MediaFault {
  readonly kind: FaultKind;
  readonly of: "segments" | "playlists" | "all";
  /** Number of answers that pass first. */
  readonly after?: number;
}

/** A proxy between browser and worker that spoils media, each stream in its own way. */
export interface FaultProxy {
  readonly origin: string;
  /** By the part of a media's path that names the stream: `l32`. Absent: the worker's answers. */
  readonly spoils: Map<string, MediaFault>;
  /** Streams whose segments arrive at playback speed after the given number of normal ones. */
  readonly thin: Map<string, number>;
  /** The latest second of each live stream sent to the browser, counted from its segment 0. */
  readonly ends: ReadonlyMap<string, number>;
  close(): void;
}

const isPlaylist = (path: string): boolean => /\.m3u8(?:$|\?)/.test(path);
const streamOf = (path: string): string => /^\/media\/[^/]+\/s\/([^/]+)\//.exec(path)?.[1] ?? "";
/** The end of a media playlist, in seconds from its stream's segment 0: a demo's segments have equal length. */
function endOf(playlist: string): number | null {
  const lengths = Array.from(playlist.matchAll(/^#EXTINF:([\d.]+)/gm), ([, length]) => Number(length));
  const first = /^#EXT-X-MEDIA-SEQUENCE:(\d+)/m.exec(playlist)?.[1];
  if (first === undefined || lengths[0] === undefined) return null;
  return Number(first) * lengths[0] + lengths.reduce((sum, length) => sum + length, 0);
}

/** Duration of a slow segment, in milliseconds. */
const SLOW_SEGMENT_MS = 3_200;

/** Replaces the data that a decoder reads in a segment, and leaves its boxes intact. */
function corruptPicture(body: Buffer): Buffer {
  const broken = Buffer.from(body);
  const data = broken.indexOf("mdat");
  if (data > 0) broken.fill(0xff, data + 4);
  return broken;
}

function spoil(kind: FaultKind, request: IncomingMessage, response: ServerResponse, answer: Whole): void {
  const { headers, body } = answer;
  const half = body.subarray(0, Math.floor(body.length / 2));
  switch (kind) {
    case "unanswered":
      request.socket.destroy();
      return;
    case "hang":
      return;
    case "403":
    case "404":
    case "500":
      response.writeHead(Number(kind), { "content-type": "text/plain" }).end("no");
      return;
    case "half body":
      response.writeHead(200, { ...headers, "content-length": String(body.length) });
      response.write(half, () => setTimeout(() => response.destroy(), 20));
      return;
    case "short body":
      response.writeHead(200, { ...headers, "content-length": String(half.length) }).end(half);
      return;
    case "wrong MIME":
      response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><h1>Welcome to the Wi-Fi</h1>");
      return;
    case "broken picture": {
      const broken = corruptPicture(body);
      response.writeHead(200, { ...headers, "content-length": String(broken.length) }).end(broken);
      return;
    }
    default:
      kind satisfies never;
  }
}

interface Whole {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A page or script that isn't the worker's. */
export interface ProxyAnswer {
  readonly type: string;
  readonly body: string;
}

/** Starts a proxy in front of a worker. `own`: its own answers, by path. */
export async function startFaultProxy(
  worker: Worker,
  own: ReadonlyMap<string, ProxyAnswer> = new Map(),
): Promise<FaultProxy> {
  const { hostname, port } = new URL(worker.origin);
  const spoils = new Map<string, MediaFault>();
  const thin = new Map<string, number>();
  const ends = new Map<string, number>();
  const server = createServer((request, response) => {
    const { method, url: path = "", headers } = request;
    const mine = own.get(path);
    if (mine) {
      response.writeHead(200, { "content-type": mine.type }).end(mine.body);
      return;
    }
    const stream = streamOf(path);
    const onward = send({ host: hostname, port, method, path, headers }, (answer) => {
      if (stream === "") {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
        return;
      }
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () => {
        const whole: Whole = { status: answer.statusCode ?? 502, headers: answer.headers, body: Buffer.concat(chunks) };
        const fault = spoils.get(stream);
        const applies = fault && (fault.of === "all" || isPlaylist(path) === (fault.of === "playlists"));
        // A playlist has no picture to break, and an init segment no samples.
        if (fault && applies) {
          const { after = 0 } = fault;
          if (after === 0) return spoil(fault.kind, request, response, whole);
          spoils.set(stream, { ...fault, after: after - 1 });
        }
        response.writeHead(whole.status, whole.headers);
        const end = isPlaylist(path) ? endOf(whole.body.toString()) : null;
        if (end !== null) ends.set(stream, Math.max(end, ends.get(stream) ?? 0));
        const quick = thin.get(stream);
        const isInit = /init[^/]*$/.test(path);
        if (isPlaylist(path) || isInit || quick === undefined || quick > 0) {
          if (quick !== undefined && !isPlaylist(path) && !isInit) thin.set(stream, quick - 1);
          return response.end(whole.body);
        }
        // An outage also aborts answers in flight.
        drip(response, whole.body, () => (spoils.get(stream)?.of ?? "playlists") !== "playlists");
      });
      answer.on("error", () => response.destroy());
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  passWebSockets(server, hostname, Number(port));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spoils,
    thin,
    ends,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Writes a body in pieces, unless it is cut. */
function drip(response: ServerResponse, body: Buffer, isCut: () => boolean): void {
  const startedAt = Date.now();
  let sent = 0;
  const timer = setInterval(() => {
    if (isCut()) response.destroy();
    const until = Math.floor(body.length * Math.min(1, (Date.now() - startedAt) / SLOW_SEGMENT_MS));
    response.write(body.subarray(sent, until));
    sent = until;
    if (sent < body.length && !response.destroyed) return;
    clearInterval(timer);
    response.end();
  }, 50);
}
