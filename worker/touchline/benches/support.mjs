// Shared by the benches in this folder.

import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

const PAGE = fileURLToPath(new URL("../../../docs/benchmarks.md", import.meta.url));

/** Returns a port that was free a moment ago. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** Inserts lines into docs/benchmarks.md, between the marks of a part. */
export function writeFigures(part, lines) {
  const [begin, end] = [`<!-- measured: ${part} -->`, `<!-- end: ${part} -->`];
  const [before, rest] = readFileSync(PAGE, "utf8").split(begin);
  if (rest === undefined) throw new Error(`${PAGE} has no section for the figures: ${begin}`);
  writeFileSync(PAGE, before + [begin, "", ...lines, "", end].join("\n") + rest.split(end)[1]);
}

export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
