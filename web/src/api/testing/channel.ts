import { type Api, createApi } from "..";
import type { KeyValue } from "../database";

/** One request as the scripted channel received it. */
export interface Seen {
  method: string;
  path: string;
  key: string | null;
  body: { [name: string]: unknown } | null;
  headers: Headers;
}

export type Script = (seen: Seen, signal: AbortSignal) => Response | Promise<Response>;

/** A durable map in memory. It copies values, so a later change of the original has no effect. */
export function memory(): KeyValue {
  const entries = new Map<string, string>();
  return {
    getItem: async <T>(key: string) => JSON.parse(entries.get(key) ?? "null") as T | null,
    async setItem(key, value) {
      entries.set(key, JSON.stringify(value));
      return value;
    },
    async removeItem(key) {
      entries.delete(key);
    },
    async update(keys, change) {
      const values = keys.map((key) => JSON.parse(entries.get(key) ?? "null") ?? undefined);
      for (const [key, value] of change(values)) entries.set(key, JSON.stringify(value));
    },
  };
}

export const ok = (data: unknown, more: object = {}): Response =>
  Response.json({ data, ...more }, { headers: { "x-request-id": "r-ok" } });

export const refuse = (
  status: number,
  code: string,
  more: { errors?: { [field: string]: string[] }; headers?: { [name: string]: string } } = {},
): Response =>
  Response.json(
    { message: `said ${code}`, code, errors: more.errors ?? {} },
    { status, headers: { "x-request-id": `r-${code}`, ...more.headers } },
  );

export const refuseKey = (which: "api_key" | "channel_key"): Response =>
  refuse(400, which, { errors: { [which]: ["wrong"] } });

/** A page's API against a scripted channel, with all its reports. */
export interface Bench {
  api: Api;
  seen: Seen[];
  reports: { [name: string]: unknown }[];
  events: string[];
  network: { online: boolean };
  /** The clock, in Unix milliseconds. */
  clock: { now: number };
  database: KeyValue;
}

/** The channel's part in fetching keys: a keys file, then keys numbered from 1. */
export function givingKeys(script: Script): Script {
  let issued = 0;
  return (seen, signal) => {
    if (seen.path.startsWith("/keys/")) return Response.json({ channel_key: "northfield" });
    if (seen.path === "/api/get_api_key") return ok({ api_key: `key-${++issued}` });
    return script(seen, signal);
  };
}

export function bench(
  script: Script,
  database: KeyValue = memory(),
  identity: { profile: string; session: string } | null = null,
): Bench {
  const seen: Seen[] = [];
  const reports: Bench["reports"] = [];
  const events: string[] = [];
  const network = { online: true };
  const clock = { now: 1_795_255_200_000 };
  let handles = 0;
  const fetch = async (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(String(input), "http://channel.test");
    const body = typeof init.body === "string" ? JSON.parse(init.body) : null;
    if (url.pathname === "/api/error-log") {
      reports.push(body);
      return ok({ ok: true });
    }
    const key = url.searchParams.get("api_key") ?? body?.api_key ?? null;
    url.searchParams.delete("api_key");
    const path = url.pathname + decodeURIComponent(url.search).replaceAll("+", " ");
    const request = { method: init.method ?? "GET", path, key, body, headers: new Headers(init.headers) };
    seen.push(request);
    const signal = init.signal ?? new AbortController().signal;
    signal.throwIfAborted();
    return script(request, signal);
  };
  const api = createApi({
    fetch,
    database,
    locks: undefined,
    hostname: "northfield.test",
    now: () => clock.now,
    isOnline: () => network.online,
    newHandle: () => `handle-${++handles}`,
    analyticsIdentity: async () => identity,
    news: {
      throttled: (ms) => events.push(`throttled ${ms}`),
      crashed: ({ code }) => events.push(`crashed ${code}`),
      unauthenticated: () => events.push("unauthenticated"),
      apiKeyLost: () => events.push("apiKeyLost"),
      clockRead: () => undefined,
      answeredFromCache: () => events.push("answeredFromCache"),
    },
    // Read at once, as another tab would.
    personStored: () => void database.getItem("person").then((person) => events.push(person ? "person" : "nobody")),
  });
  return { api, seen, reports, events, network, clock, database };
}

/** A request that ends only by being cancelled. */
export const never: Script = (_, signal) =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason ?? new DOMException("aborted", "AbortError")), {
      once: true,
    });
  });

/** A page whose browser has keys and a user: nothing is fetched before its first call. */
export function fixedKeys(script: Script): Bench {
  const database = memory();
  void database.setItem("keys", { channel_key: "northfield", api_key: "mine", user_id: 7 });
  return bench(script, database);
}

/** A call's result: its answer, or the error it failed with. */
export const ending = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

export const get = (path: string) => ({ method: "GET", path }) as const;
export const paths = (seen: readonly Seen[]): string[] => seen.map(({ path }) => path);
