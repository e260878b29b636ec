import type { ClockReading } from "../ports/clock";
import { PortError } from "../ports/error";
import { failureOf, noAnswer } from "./failure";
import { type ApiAnswer, type ApiRequest, type ListMeta, toWireRequest } from "./request";
import type { RequestIds } from "./requestIds";

/** Timeout of one attempt, in milliseconds (LIM-1). */
const TIMEOUT_MS = 30_000;

/** The browser in analytics. */
export interface BrowserIdentity {
  readonly profile: string;
  readonly session: string;
}

export interface AttemptDeps {
  fetch: typeof fetch;
  /** Base URL of the channel's API, such as `/api`. */
  base: string;
  now(): number;
  /** The browser's own report of the network. */
  isOnline(): boolean;
  requestIds: RequestIds;
  /** The browser, if its viewer allows analytics (ANA-7). */
  analyticsIdentity(): BrowserIdentity | null | Promise<BrowserIdentity | null>;
  /** Called when the service worker answers from its cache. */
  answeredFromCache(): void;
  /** Called with each answer's reading of the channel's clock. */
  clockRead(reading: ClockReading): void;
}

/** Header of the service worker's cached answers (sw/catalogue.ts). */
export const STALE_HEADER = "x-touchline-stale";

/** Granularity of an answer's `Date`, in milliseconds. */
const DATE_MS = 1_000;

/**
 * The answer's reading of the channel's clock: it was created between `sentAt` and `receivedAt`. Null for an answer
 * that a cache or the service worker may have stored: its time is older.
 */
function readingOf({ headers }: Response, sentAt: number, receivedAt: number): ClockReading | null {
  const date = Date.parse(headers.get("date") ?? "");
  const mayBeStored = headers.has(STALE_HEADER) || headers.has("age") || !headers.has("x-request-id");
  const isChecked = /\bno-(?:store|cache)\b/i.test(headers.get("cache-control") ?? "");
  if (Number.isNaN(date) || mayBeStored || !isChecked || receivedAt < sentAt) return null;
  return { min: date - receivedAt, max: date + DATE_MS - sentAt };
}

interface Envelope {
  data?: unknown;
  meta?: ListMeta;
}

/** Parses a JSON body; undefined if it isn't JSON. */
async function jsonOf(response: Response): Promise<unknown> {
  if (!/\bjson\b/i.test(response.headers.get("content-type") ?? "")) return undefined;
  try {
    return await response.json();
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Sends a call once. Throws a PortError, or the signal's own reason if the caller cancelled. */
export async function attempt(deps: AttemptDeps, request: ApiRequest, key: string | null): Promise<ApiAnswer> {
  const { url, init } = toWireRequest(request, deps.base, key);
  // ANA-14: the worker records the change under it. Public calls have no key.
  const identity = key && request.method !== "GET" ? await deps.analyticsIdentity() : null;
  if (identity) init.headers["Touchline-Analytics"] = `${identity.profile}/${identity.session}`;
  const controller = new AbortController();
  const cancel = () => controller.abort(request.signal?.reason);
  request.signal?.throwIfAborted();
  request.signal?.addEventListener("abort", cancel, { once: true });
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    controller.abort();
  }, TIMEOUT_MS);
  try {
    const sentAt = deps.now();
    const response = await deps.fetch(url, { ...init, signal: controller.signal });
    const receivedAt = deps.now();
    // The worker's journal covers calls of the channel only; ids of datalake calls would crowd the list.
    if (!request.fromOrigin) deps.requestIds.remember(response.headers.get("x-request-id"));
    const body = await jsonOf(response);
    if (response.status !== 200) throw failureOf(response, body, deps.now());
    // A captive portal answers 200 with a page of its own.
    if (typeof body !== "object" || body === null) throw noAnswer("unexpected_answer");
    if (request.bare) return { data: body };
    if (!("data" in body)) throw noAnswer("unexpected_answer");
    if (response.headers.has(STALE_HEADER)) deps.answeredFromCache();
    const reading = readingOf(response, sentAt, receivedAt);
    if (reading) deps.clockRead(reading);
    const { data, meta } = body as Envelope;
    return meta === undefined ? { data } : { data, meta };
  } catch (error) {
    if (request.signal?.aborted) throw request.signal.reason;
    if (error instanceof PortError) throw error;
    throw noAnswer(timedOut ? "timeout" : "network", deps.isOnline());
  } finally {
    clearTimeout(timer);
    request.signal?.removeEventListener("abort", cancel);
  }
}
