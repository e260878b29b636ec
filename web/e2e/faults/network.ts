import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Draw } from "./script";

/** The current state of the network to a server. */
export interface Network {
  readonly origin: string;
  /** Everything is blocked. */
  down: boolean;
  /** The share of event requests that is lost, half of them as requests and half as answers. */
  loss: number;
  close(): void;
}

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
};

/** Serves over a network that can be made to fail. `isEvents` selects the requests that carry events. */
export async function serveThrough(
  draw: Draw,
  isEvents: (request: IncomingMessage) => boolean,
  answer: (request: IncomingMessage, body: Buffer, response: ServerResponse) => Promise<void> | void,
): Promise<Network> {
  const state = { down: false, loss: 0 };
  const isLost = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const drawn = isEvents(request) ? draw() : 1;
    if (state.down || drawn < state.loss / 2) {
      request.socket.destroy();
      return;
    }
    const body = await bodyOf(request);
    if (drawn < state.loss) response.end = () => (request.socket.destroy(), response);
    await answer(request, body, response);
  };
  const server = createServer((request, response) => {
    isLost(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return Object.assign(state, {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
}
