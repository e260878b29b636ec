import type { Id } from "../contracts/resources";
import type { Json } from "../lib/json";

/** ERR-6. Which failures are of the whole site. */
export interface Crash {
  readonly on: readonly ("4xx" | "5xx")[];
  readonly allow?: readonly number[];
  /** What may pass covers no page that is shown already: it is asked for again in the background. */
  readonly sparesPage?: true;
}

/** One call as an endpoint describes it. `path` is below the channel's API. */
export interface ApiRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly query?: { readonly [name: string]: string | number | boolean | undefined };
  readonly body?: { readonly [name: string]: Json | undefined };
  /** Carries no API key. */
  readonly public?: true;
  /** `path` counts from the site's origin, not from the channel's API. */
  readonly fromOrigin?: true;
  /** The answer is the data itself, without an envelope (the keys file). */
  readonly bare?: true;
  readonly idempotencyKey?: string;
  /** A POST that does no more when it arrives twice. Every other call without an Idempotency-Key is sent once. */
  readonly repeatable?: true;
  /** Its answer replaces the API key, or takes it away: the one that it carries is revoked when it arrives. */
  readonly rotates?: true;
  /** Goes only under this person's key: under another it fails with `wrong_user` and is not sent. */
  readonly asUser?: Id;
  /** Which failures raise the site's error screen; `allow` leaves single statuses out. */
  readonly crash?: Crash;
  /** Whether the data have the shape that was asked for. What has another is no answer. */
  readonly fits?: (data: unknown) => boolean;
  /** Statuses that are answers of a kind, and no news for the error log. */
  readonly skipLog?: readonly number[];
  readonly signal?: AbortSignal;
}

/** A list's place in the whole. */
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

/** What is asked, without any key: fit for the error log. */
export const addressOf = ({ path, query }: ApiRequest): string => withQuery(path, query ?? {});

/** The call on the wire: the key goes in the query of GET and DELETE, and in the body of anything else. */
export function onTheWire(
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
    // Addresses carry the key: neither the disk cache nor a redirect may see them.
    cache: "no-store",
    redirect: "error",
    // A device that logged in before is known by a cookie that no script reads; the calls of logging in alone carry it.
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

/** Whether sending the call a second time does no harm. */
export const isRepeatable = ({ method, idempotencyKey, repeatable }: ApiRequest): boolean =>
  method !== "POST" || idempotencyKey !== undefined || repeatable === true;
