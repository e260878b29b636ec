import type { Id } from "../contracts/resources";
import type { Json } from "../lib/json";
import { MASK, withoutPrivate } from "../lib/privateText";

/** Failures that concern the whole site (ERR-6). */
export interface Crash {
  readonly on: readonly ("4xx" | "5xx")[];
  readonly allow?: readonly number[];
  /** A temporary failure doesn't cover a visible page: the call is repeated in the background. */
  readonly sparesPage?: true;
}

/** One call as an endpoint describes it. `path` is relative to the channel's API. */
export interface ApiRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly query?: { readonly [name: string]: string | number | boolean | undefined };
  readonly body?: { readonly [name: string]: Json | undefined };
  readonly public?: true;
  /** `path` is relative to the site's origin, not to the channel's API. */
  readonly fromOrigin?: true;
  /** The answer is the data itself, without an envelope (the keys file). */
  readonly bare?: true;
  readonly idempotencyKey?: string;
  /** A POST that is safe to repeat. Any other call without an Idempotency-Key is sent once. */
  readonly repeatable?: true;
  /** The answer replaces or removes the API key; the worker revokes the sent key on arrival. */
  readonly rotates?: true;
  /** Sent only under this user's key; under another it fails with `wrong_user`. */
  readonly asUser?: Id;
  /** Failures that raise the site's error screen; `allow` exempts single statuses. */
  readonly crash?: Crash;
  /** Whether the data has the requested shape. Data of another shape counts as no answer. */
  readonly fits?: (data: unknown) => boolean;
  /** Statuses that are expected answers and stay out of the error log. */
  readonly skipLog?: readonly number[];
  readonly signal?: AbortSignal;
}

/** A list's offset and total. */
export interface ListMeta {
  total: number;
  limit: number;
  offset: number;
}

/** A success. `meta` comes with lists. */
export interface ApiAnswer {
  readonly data: unknown;
  readonly meta?: ListMeta;
}

type Query = NonNullable<ApiRequest["query"]>;

const withQuery = (path: string, query: Query): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  );
  return pairs.length === 0 ? path : `${path}${path.includes("?") ? "&" : "?"}${pairs.join("&")}`;
};

/** The address without any key. */
export const addressOf = ({ path, query = {} }: ApiRequest): string => withQuery(path, query);

/** The request's address without any key and without the private parts of typed texts: safe for the error log. */
export function loggedAddress({ path, query = {} }: ApiRequest): string {
  const values = Object.entries(query).map(([name, value]) => [
    name,
    typeof value === "string" ? withoutPrivate(value, () => MASK) : value,
  ]);
  return withQuery(path, Object.fromEntries(values));
}

/** The request as sent: the key is in the query of GET and DELETE, and in the body of anything else. */
export function toWireRequest(
  request: ApiRequest,
  api: string,
  key: string | null,
): { url: string; init: RequestInit & { headers: Record<string, string> } } {
  const base = request.fromOrigin ? "" : api;
  const headers: Record<string, string> = { Accept: "application/json" };
  if (request.idempotencyKey !== undefined) headers["Idempotency-Key"] = request.idempotencyKey;
  const init = {
    method: request.method,
    headers,
    // Addresses carry the key, so neither the disk cache nor a redirect may see them.
    cache: "no-store",
    redirect: "error",
    // A known device is recognised by an HttpOnly cookie, which only the calls for logging in carry.
    credentials: request.method === "POST" && request.path.includes("/auth/") ? "same-origin" : "omit",
  } as const;
  const keyed = key === null ? {} : { api_key: key };
  if (request.method !== "POST") {
    return { url: withQuery(base + request.path, { ...request.query, ...keyed }), init };
  }
  headers["Content-Type"] = "application/json";
  return {
    url: base + addressOf(request),
    init: { ...init, body: JSON.stringify({ ...request.body, ...keyed }) },
  };
}

/** Whether the call is safe to send twice. */
export const isRepeatable = ({ method, idempotencyKey, repeatable }: ApiRequest): boolean =>
  method !== "POST" || idempotencyKey !== undefined || repeatable === true;
