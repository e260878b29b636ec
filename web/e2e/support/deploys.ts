import { readdirSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import type { ProxyAnswer, TestProxy } from "./proxyJourney";
import type { Worker } from "./worker";

const DIST = join(import.meta.dirname, "../../dist/assets");
const HASHED = /^(?<name>.+-)(?<hash>[\w-]{7})(?<ending>\.\w+)$/;

/** The name of a file in the second build: its hash reads backwards. */
function nextName(file: string): string {
  const { name, hash, ending } = HASHED.exec(file)?.groups ?? {};
  if (name === undefined || hash === undefined || ending === undefined) return file;
  return name + [...hash].reverse().join("") + ending;
}

/** Deploys a second build of the site: the same one with another name for every file. The files of the first are gone. */
export function deploy(between: TestProxy, worker: Worker): void {
  const names = readdirSync(DIST).filter((file) => HASHED.test(file) && !file.endsWith(".br"));
  const renamed = new Map(names.map((file) => [file, nextName(file)]));
  const original = new Map(names.map((file) => [nextName(file), file]));
  const anyName = new RegExp(names.map((file) => file.replaceAll(".", "\\.")).join("|"), "g");
  between.answer = async (request: IncomingMessage): Promise<ProxyAnswer | null> => {
    const { pathname } = new URL(request.url ?? "/", worker.origin);
    const file = pathname.startsWith("/assets/") ? pathname.slice("/assets/".length) : null;
    const isPage = request.method === "GET" && request.headers.accept?.includes("text/html") === true;
    const isOfBuild = file !== null || isPage || pathname === "/sw.js" || pathname === "/shell.html";
    if (!isOfBuild) return null;
    if (file !== null && !original.has(file)) return { status: 404, headers: {}, body: "" };
    const path = file === null ? (request.url ?? "/") : `/assets/${original.get(file)}`;
    const { host = "", accept = "*/*" } = request.headers;
    const answer = await fetch(worker.origin + path, { headers: { host, accept }, redirect: "manual" });
    const body = Buffer.from(await answer.arrayBuffer());
    const headers = Object.fromEntries(answer.headers);
    for (const name of ["content-encoding", "content-length", "transfer-encoding", "etag"]) delete headers[name];
    const isText = /text|javascript|json/.test(headers["content-type"] ?? "");
    const text = isText ? body.toString().replace(anyName, (name) => renamed.get(name) ?? name) : body;
    return { status: answer.status, headers, body: text };
  };
}
