// A channel API other than Touchline, for tests: `node upstream.mjs --data FILE [--port 0] [--paid-after-ms 1500]`.
//
// Its first line of stdout is `plain upstream on http://127.0.0.1:PORT/v1`. Besides the API there are `GET /counts`
// (requests per call, charges) and `POST /faults`, which sets the failure of the next calls: {"mode": "slow" | "404" |
// "500" | "503" | "html" | "half" | "close" | "redirect" | "large" | "429" | "lost" | "late" | "texts" | "fields" |
// "anything" | "none", "only": "POST stripe/buy", "times": 1, "ms": 5000}. "503" has a Retry-After of "retry_after";
// "lost" performs the call and closes the connection instead of answering, "late" closes it and performs the call after
// "ms"; "texts" sends the answer's ids as strings; "fields" replaces the answer's fields by its "fields"; "anything"
// answers 200 to any request, known or not; "none" is no fault.
import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { makeCalls, Refusal } from "./calls.mjs";
import { State } from "./state.mjs";

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    port: { type: "string", default: "0" },
    "paid-after-ms": { type: "string", default: "1500" },
  },
});
const state = new State(values.data, Number(values["paid-after-ms"]));
const calls = makeCalls(state);
const routes = Object.entries(calls).map(([name, answer]) => {
  const [method, path] = name.split(" ");
  return { name, method, path: new RegExp(`^/v1/${path.replace(/\{id\}/, "(?<id>[0-9]+)")}/?$`), answer };
});
const counts = {};
/** The headers of the last request of each call, for checking what is forwarded. */
const headers = {};
let faults = [];

const read = async (request) => {
  let text = "";
  for await (const part of request) text += part;
  return text;
};
const send = (response, status, body) => {
  const text = JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.end(text);
};
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A call's planned failure, if any. */
function faultOf(name) {
  const fault = faults.find((it) => it.only === undefined || it.only === name);
  if (fault?.times !== undefined && --fault.times <= 0) faults = faults.filter((it) => it !== fault);
  return fault;
}

async function fail({ mode, ms = 5000, to, retry_after }, response) {
  switch (mode) {
    case "slow":
      await wait(ms);
      return false;
    case "404":
      send(response, 404, { message: "Not found.", code: "not_found", errors: {} });
      return true;
    case "500":
      send(response, 500, { message: "Server Error" });
      return true;
    case "503":
      response.setHeader("retry-after", retry_after);
      send(response, 503, { message: "Service Unavailable" });
      return true;
    case "429":
      response.setHeader("retry-after", "1");
      send(response, 429, { message: "Too Many Attempts." });
      return true;
    case "html":
      response.writeHead(200, { "content-type": "text/html" });
      response.end("<!doctype html><title>Be right back</title>");
      return true;
    case "half":
      response.writeHead(200, { "content-type": "application/json", "content-length": 5000 });
      response.write('{"data": [{"id": 1, "na');
      await wait(20);
      response.destroy();
      return true;
    case "close":
      response.destroy();
      return true;
    case "redirect":
      response.writeHead(302, { location: to });
      response.end();
      return true;
    case "large":
      response.writeHead(200, { "content-type": "application/json" });
      for (let part = 0; part < 20 && !response.destroyed; part++) response.write(" ".repeat(1 << 20));
      response.end("{}");
      return true;
    default:
      return false;
  }
}

const withTexts = (said) =>
  JSON.parse(JSON.stringify(said, (name, value) => (/^(id|.*_id)$/.test(name) && value ? String(value) : value)));
const withFields = (said, fields) => JSON.parse(JSON.stringify(said, (name, value) => fields[name] ?? value));

async function answer(request, response) {
  const url = new URL(request.url, "http://upstream");
  if (url.pathname === "/counts")
    return send(response, 200, { counts, charges: state.it.charges, orders: state.it.orders.length, headers });
  if (url.pathname === "/faults") {
    faults = [JSON.parse(await read(request))].flat();
    return send(response, 200, {});
  }
  if (url.pathname === "/forget-key") {
    delete state.it.keys[JSON.parse(await read(request)).key];
    return send(response, 200, {});
  }
  const route = routes.find((it) => it.method === request.method && it.path.test(url.pathname));
  const isKeys = request.method === "POST" && url.pathname === "/v1/get_api_key";
  const name = isKeys ? "POST get_api_key" : route?.name;
  const text = request.method === "POST" ? await read(request) : "";
  if (faults[0]?.mode === "anything" && !isKeys) return send(response, 200, { data: [] });
  if (name === undefined) return send(response, 404, { message: "Not Found" });
  counts[name] = (counts[name] ?? 0) + 1;
  headers[name] = request.headers;
  const fault = faultOf(name);
  if (fault && (await fail(fault, response))) return;
  const body = text === "" ? {} : JSON.parse(text);
  if (isKeys) {
    if (body.channel_key !== "northfield")
      throw new Refusal(400, "channel_key", "No channel or api key found.", { channel_key: ["Unknown."] });
    return send(response, 200, { data: { api_key: state.issueKey() } });
  }
  const key = request.method === "POST" ? body.api_key : url.searchParams.get("api_key");
  const user = state.userOf(key);
  if (user === undefined) throw new Refusal(400, "api_key", "No channel or api key found.", { api_key: ["Unknown."] });
  if (fault?.mode === "late") {
    response.destroy();
    await wait(fault.ms);
  }
  const said = route.answer({ key, user, body, query: url.searchParams, id: route.path.exec(url.pathname).groups?.id });
  // The call was performed, and its answer is lost.
  if (fault?.mode === "lost" || fault?.mode === "late") return response.destroy();
  if (fault?.mode === "fields") return send(response, 200, withFields(said, fault.fields));
  send(response, 200, fault?.mode === "texts" ? withTexts(said) : said);
}

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    if (error instanceof Refusal) return send(response, error.status, error.body);
    console.error(error);
    if (!response.headersSent) send(response, 500, { message: String(error) });
    return undefined;
  });
});
server.keepAliveTimeout = 30_000;
server.listen(Number(values.port), "127.0.0.1", () => {
  console.log(`plain upstream on http://127.0.0.1:${server.address().port}/v1`);
});
