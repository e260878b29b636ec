import type { Server } from "node:http";
import { connect } from "node:net";

/** Forwards a server's WebSocket handshakes, and everything after them, to another one unchanged. */
export function passWebSockets(server: Server, host: string, port: number): void {
  server.on("upgrade", (request, socket, head) => {
    const onward = connect(port, host, () => {
      const lines = request.rawHeaders.flatMap((name, at, all) => (at % 2 === 0 ? [`${name}: ${all[at + 1]}`] : []));
      onward.write(`GET ${request.url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    socket.on("error", () => onward.destroy());
    onward.on("error", () => socket.destroy());
  });
}
