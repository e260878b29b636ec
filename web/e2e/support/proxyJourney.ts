import { createServer, type IncomingMessage, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { test as journey } from "./journey";
import { passWebSockets } from "./webSockets";
import type { Worker } from "./worker";

/** An answer that is held back. */
export interface DelayedAnswer {
  /** Settles once the worker has answered. */
  readonly answered: Promise<void>;
  /** Passes the answer on. */
  release(): void;
}

/** An answer in place of the worker's. */
export interface ProxyAnswer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: string | Buffer;
}

/** A proxy between browser and worker. Unlike a page's routes it sees the service worker's requests as well. */
export interface TestProxy {
  readonly origin: string;
  /** Answers in place of the worker; null: the worker answers. */
  answer: (request: IncomingMessage) => ProxyAnswer | null | Promise<ProxyAnswer | null>;
  /** Holds back the worker's answer to the next call of a path until released. */
  hold(path: string): DelayedAnswer;
  close(): void;
}

/** A network that answers everything with its own page, like a hotel's before its guest accepts the terms. */
export const portal = (): ProxyAnswer => ({
  status: 200,
  headers: { "content-type": "text/html" },
  body: "<h1>Welcome to the Wi-Fi of the Grand Hotel</h1>",
});

/** Starts a proxy in front of a worker that forwards everything unchanged. */
async function startProxy(worker: Worker): Promise<TestProxy> {
  const { hostname, port } = new URL(worker.origin);
  /** For each path whose next answer is held back: called with the answer, and settles once it is released. */
  const delays = new Map<string, () => Promise<void>>();
  const server = createServer(async (request, response) => {
    const local = await between.answer(request);
    if (local) {
      request.resume();
      response.writeHead(local.status, local.headers).end(local.body);
      return;
    }
    const { method, url: path = "", headers } = request;
    const delay = delays.get(path);
    delays.delete(path);
    const onward = send({ host: hostname, port, method, path, headers }, async (answer) => {
      await delay?.();
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  passWebSockets(server, hostname, Number(port));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const between: TestProxy = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: () => null,
    hold(path) {
      let release = (): void => undefined;
      const released = new Promise<void>((done) => {
        release = done;
      });
      const answered = new Promise<void>((settle) => {
        delays.set(path, () => {
          settle();
          return released;
        });
      });
      return { answered, release };
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return between;
}

/** A journey whose browser reaches its worker through the proxy. */
export const test = journey.extend<{ between: TestProxy }>({
  between: async ({ worker }, use) => {
    const between = await startProxy(worker);
    await use(between);
    between.close();
  },
  baseURL: async ({ between }, use) => use(between.origin),
});
