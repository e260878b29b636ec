import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A line between browser and worker that can be cut. */
export interface Line {
  readonly origin: string;
  /** Ends all connections, and refuses new ones. */
  cut(): Promise<void>;
  /** Accepts connections again, at the same address. */
  restore(): Promise<void>;
}

/** Opens a line to a worker. WebKit's driver cannot switch the network off. */
export async function openLine(target: string): Promise<Line> {
  const worker = new URL(target);
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    const onward = connect(Number(worker.port), worker.hostname);
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => onward.destroy());
    onward.on("error", () => socket.destroy());
    socket.on("close", () => onward.destroy());
    onward.on("close", () => socket.destroy());
    socket.pipe(onward).pipe(socket);
  });
  const listen = async (at: number): Promise<number> => {
    server.listen(at, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  };
  const port = await listen(0);
  return {
    origin: `http://127.0.0.1:${port}`,
    async cut() {
      server.close();
      for (const socket of sockets) socket.destroy();
      if (server.listening) await once(server, "close");
    },
    restore: async () => void (await listen(port)),
  };
}
