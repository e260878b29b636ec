import { createServer, type IncomingMessage, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { test as journey } from "./journey";
import { passWebSockets } from "./webSockets";
import type { Worker } from "./worker";

/** An answer that is held back. */
export interface Held {
  /** Settles once the worker has given it. */
  readonly given: Promise<void>;
  /** Lets it through. */
  release(): void;
}

/** What is answered in the worker's place. */
export interface Own {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
}

/** What stands between a browser and a worker. Unlike a page's routes it meets the service worker's requests as well. */
export interface Between {
  readonly origin: string;
  /** Answers in the worker's place; null: the worker does. */
  answer: (request: IncomingMessage) => Own | null | Promise<Own | null>;
  /** Holds back the worker's answer to the next call of a path: for ever, if it is not let through. */
  hold(path: string): Held;
  close(): void;
}

/** A network whose every answer is a page of its own, as a hotel's is before its guest has agreed to something. */
export const portal = (): Own => ({
  status: 200,
  headers: { "content-type": "text/html" },
  body: "<h1>Welcome to the Wi-Fi of the Grand Hotel</h1>",
});

/** Stands before a worker, and hands everything on as it is. */
async function standBefore(worker: Worker): Promise<Between> {
  const { hostname, port } = new URL(worker.origin);
  /** For each path whose next answer is held back: told of the answer, and settles once it is let through. */
  const holding = new Map<string, () => Promise<void>>();
  const server = createServer(async (request, response) => {
    const own = await between.answer(request);
    if (own) {
      request.resume();
      response.writeHead(own.status, own.headers).end(own.body);
      return;
    }
    const { method, url: path = "", headers } = request;
    const held = holding.get(path);
    holding.delete(path);
    const onward = send({ host: hostname, port, method, path, headers }, async (answer) => {
      await held?.();
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  passWebSockets(server, hostname, Number(port));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const between: Between = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: () => null,
    hold(path) {
      let release = (): void => undefined;
      const released = new Promise<void>((done) => {
        release = done;
      });
      const given = new Promise<void>((tell) => {
        holding.set(path, () => {
          tell();
          return released;
        });
      });
      return { given, release };
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return between;
}

/** A journey whose browser reaches its worker through what stands before it. */
export const test = journey.extend<{ between: Between }>({
  between: async ({ worker }, use) => {
    const between = await standBefore(worker);
    await use(between);
    between.close();
  },
  baseURL: async ({ between }, use) => use(between.origin),
});
