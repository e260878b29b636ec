import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { build } from "esbuild";
import { type Network, serveThrough } from "./network";
import { type Draw, type Site } from "./script";

const PEERS = join(import.meta.dirname, "../../peers");

/** The ids under which each event arrived, once per arrival. */
export type Arrivals = Map<string, string[]>;

/** A library compared with the site: its page, and a server that counts. */
export interface Peer {
  readonly network: Network;
  /** Every arrival at the server. */
  readonly arrivals: Arrivals;
  /** The server's count; by default each id that reached it, once. */
  readonly counted?: Arrivals;
  readonly site: Site;
}

/** Counts every event within a library's payload, however nested. */
function count(arrivals: Arrivals, value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  const { properties, uuid, messageId } = value as {
    properties?: { mark?: unknown };
    uuid?: string;
    messageId?: string;
  };
  if (typeof properties?.mark === "string") {
    arrivals.set(properties.mark, [...(arrivals.get(properties.mark) ?? []), uuid ?? messageId ?? ""]);
    return;
  }
  for (const each of Object.values(value)) count(arrivals, each);
}

function read(body: Buffer): unknown {
  const plain = body[0] === 0x1f && body[1] === 0x8b ? gunzipSync(body) : body;
  const text = plain.toString();
  if (!text.startsWith("data=")) return JSON.parse(text);
  const data = decodeURIComponent(text.slice("data=".length).replaceAll("+", " "));
  return JSON.parse(data.startsWith("{") || data.startsWith("[") ? data : Buffer.from(data, "base64").toString());
}

const RUDDER_SOURCE = {
  source: {
    id: "bench",
    name: "bench",
    writeKey: "bench",
    enabled: true,
    workspaceId: "bench",
    destinations: [],
    connections: [],
    config: { statsCollection: { errors: { enabled: false }, metrics: { enabled: false } } },
  },
  updatedAt: "2026-11-21T00:00:00.000Z",
};

export async function startPeer(name: string, draw: Draw): Promise<Peer> {
  const bundle = await build({
    entryPoints: [join(PEERS, `${name}.js`)],
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
    logLevel: "error",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const script = bundle.outputFiles[0]?.text ?? "";
  const arrivals: Arrivals = new Map();
  const network = await serveThrough(
    draw,
    ({ method }) => method === "POST",
    ({ method, url = "/" }, body, response) => {
      if (method === "POST") {
        count(arrivals, read(body));
        response.setHeader("content-type", "application/json").end('{"status":1,"success":true}');
      } else if (url.startsWith("/page.js")) response.setHeader("content-type", "text/javascript").end(script);
      else if (/sourceConfig/i.test(url))
        response.setHeader("content-type", "application/json").end(JSON.stringify(RUDDER_SOURCE));
      else
        response
          .setHeader("content-type", "text/html")
          .end("<!doctype html><title>page</title><script src=/page.js></script>");
    },
  );
  const site: Site = {
    opensWithEvent: false,
    open: async (page) => void (await page.goto(network.origin)),
    track: (page, mark) =>
      page.evaluate((told) => (globalThis as unknown as { track(mark: string): void }).track(told), mark),
  };
  return { network, arrivals, site };
}
