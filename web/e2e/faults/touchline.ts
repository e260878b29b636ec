import { type ClientRequest, createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { startWorker, type Worker } from "../support/worker";
import { type Network, serveThrough } from "./network";
import type { Arrivals, Peer } from "./peers";
import type { Draw, Site } from "./script";

/** A worker's site behind a network that can be made to lose its analytics. */
export function serveSite(
  draw: Draw,
  { origin }: Worker,
  reached: (body: Buffer) => void = () => undefined,
): Promise<Network> {
  const target = new URL(origin);
  return serveThrough(
    draw,
    ({ method, url = "" }) => method === "POST" && url.startsWith("/datalake/"),
    ({ method, url, headers }, body, response) =>
      new Promise<void>((done, failed) => {
        if (url === "/datalake/batch") reached(body);
        const onward: ClientRequest = send(
          { host: target.hostname, port: target.port, method, path: url, headers },
          async (answer) => {
            response.writeHead(answer.statusCode ?? 502, answer.headers);
            const parts: Buffer[] = [];
            for await (const part of answer) parts.push(part as Buffer);
            response.end(Buffer.concat(parts));
            done();
          },
        );
        onward.on("error", failed).end(body);
      }),
  );
}

/** The site itself: its worker behind the failing network, and an HTTP datalake that counts the worker's events. */
export async function startTouchline(draw: Draw): Promise<Peer & { end(): Promise<void> }> {
  const arrivals: Arrivals = new Map();
  const counted: Arrivals = new Map();
  const datalake = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { event, trk } = JSON.parse(Buffer.concat(parts).toString()) as { event?: string; trk?: string };
    const id = String(request.headers["idempotency-key"]);
    if (event === "visit" && trk !== undefined) counted.set(trk, [...(counted.get(trk) ?? []), id]);
    response.end("{}");
  });
  await new Promise<void>((listening) => datalake.listen(0, "127.0.0.1", listening));
  const sink = `http:http://127.0.0.1:${(datalake.address() as AddressInfo).port}/`;
  const worker: Worker = await startWorker(["--datalake-sinks", sink, "--datalake-close-age-s", "1"]);
  const network = await serveSite(draw, worker, (body) => {
    const { events } = JSON.parse(body.toString()) as {
      events: { id: string; body: { event?: string; trk?: string } }[];
    };
    for (const { id, body } of events)
      if (body.event === "visit" && body.trk !== undefined)
        arrivals.set(body.trk, [...(arrivals.get(body.trk) ?? []), id]);
  });
  const address = (mark: string) => `/login?trk=${mark}`;
  const site: Site = {
    opensWithEvent: true,
    open: async (page, mark) => {
      await page.goto(network.origin + address(mark));
      await page.getByRole("main").waitFor();
    },
    track: (page, mark) =>
      page.evaluate((to) => {
        history.pushState({}, "", to);
        dispatchEvent(new PopStateEvent("popstate", { state: {} }));
      }, address(mark)),
  };
  const end = async () => {
    await worker.end();
    datalake.close();
  };
  return { network, arrivals, counted, site, end };
}
