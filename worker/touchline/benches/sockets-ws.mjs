// The bare server that sockets.mjs compares with: `ws`, keys by socket, statuses forwarded, nothing stored.
// Usage: node worker/touchline/benches/sockets-ws.mjs PORT

import { createServer } from "node:http";
import { createRequire } from "node:module";

const { WebSocketServer } = createRequire(new URL("../../../web/peers/package.json", import.meta.url))("ws");
const sockets = new Map();
let seq = 0;

const server = createServer(async (request, response) => {
  const { key, status } = JSON.parse((await request.toArray()).join(""));
  const frame = JSON.stringify({ ...status, seq: ++seq });
  for (const [of, those] of sockets) if (key === null || of === key) for (const socket of those) socket.send(frame);
  response.setHeader("content-type", "application/json");
  response.end('{"data":{}}');
});
const wss = new WebSocketServer({ server, perMessageDeflate: false });
wss.on("connection", (socket) => {
  socket.once("message", (text) => {
    const { api_key: key, resume } = JSON.parse(text);
    if (!sockets.has(key)) sockets.set(key, new Set());
    sockets.get(key).add(socket);
    socket.on("close", () => sockets.get(key).delete(socket));
    socket.send(
      JSON.stringify({
        t: "welcome",
        epoch: "1",
        user_seq: 0,
        channel_seq: seq,
        mode: resume ? "resumed" : "snapshot",
        snapshot: [],
        ping_ms: 20_000,
      }),
    );
  });
});
server.listen(Number(process.argv[2]), "127.0.0.1", 16_384, () => console.log("ready"));
