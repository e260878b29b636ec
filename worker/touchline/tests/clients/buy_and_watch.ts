/** Registers, buys an event and watches it, with openapi-fetch and types that openapi-typescript generated. */
import createClient from "openapi-fetch";
import type { paths } from "./openapi";

const EVENT = 1;
const PRODUCT = 1001;
const LIVE = 2;
const DEADLINE_MS = 60_000;

const baseUrl = process.argv[2] ?? "";
const client = createClient<paths>({ baseUrl });

/** The answer's data. A refusal ends the program. */
async function dataOf<T>(call: Promise<{ data?: { data: T }; error?: unknown }>): Promise<T> {
  const { data, error } = await call;
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data.data;
}

const visitor = await dataOf(client.POST("/api/get_api_key", { body: { channel_key: "northfield" } }));
const person = {
  first_name: "Robin",
  last_name: "Hale",
  email: "robin@viewers.example",
  terms: true,
  password: "correct horse",
  password_confirmation: "correct horse",
};
const viewer = await dataOf(client.POST("/api/v2/auth/register", { body: { api_key: visitor.api_key, ...person } }));
const { api_key } = viewer;

const { client_secret } = await dataOf(client.POST("/api/stripe/setup-intent", { body: { api_key } }));
const number = "4242 4242 4242 4242";
const card = { api_key, client_secret, number, exp: "12/40", cvc: "123" };
const { payment_method_id } = await dataOf(client.POST("/api/stripe/sandbox-card", { body: card }));
const bought = await dataOf(
  client.POST("/api/stripe/buy", {
    params: { header: { "Idempotency-Key": "generated-client" } },
    body: { api_key, type: "event", id: EVENT, single_event_package_id: PRODUCT, payment_method_id },
  }),
);
const started = Date.now();
for (;;) {
  const params = { path: { id: bought.id }, query: { api_key } };
  const { status } = await dataOf(client.GET("/api/orders/{id}", { params }));
  if (status === "paid") break;
  if (status !== "created" || Date.now() - started > DEADLINE_MS) throw new Error(`the order is ${status}`);
  await new Promise((resolve) => setTimeout(resolve, 100));
}

const { media } = await dataOf(client.GET("/api/events/{id}", { params: { path: { id: EVENT }, query: { api_key } } }));
const live = media?.find(({ type }) => type === LIVE);
if (live === undefined) throw new Error("the event has no live medium");
const { playback_url } = await dataOf(
  client.GET("/api/events/{id}/playback/{media_id}", {
    params: { path: { id: EVENT, media_id: live.id }, query: { api_key } },
  }),
);
const playlist = await (await fetch(new URL(playback_url, baseUrl))).text();
if (!playlist.startsWith("#EXTM3U")) throw new Error(playlist);
console.log("watched");
