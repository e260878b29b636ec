import { PortError } from "../ports/error";
import { failureOf, noAnswer } from "./failure";
import { type ApiAnswer, type ApiRequest, type ListMeta, onTheWire } from "./request";
import type { RequestIds } from "./requestIds";

/** How long one attempt may take, milliseconds (LIM-1). */
export const TIMEOUT_MS = 30_000;

export interface AttemptParts {
  fetch: typeof fetch;
  /** Where the channel's API is, such as `/api`. */
  base: string;
  now(): number;
  /** What the browser says of the network. */
  isOnline(): boolean;
  requestIds: RequestIds;
  /** Told of an answer that the service worker had kept from earlier. */
  answeredFromCache(): void;
}

/** The service worker marks what it had kept with this (sw/catalogue.ts). */
const STALE_HEADER = "x-touchline-stale";

interface Envelope {
  data?: unknown;
  meta?: ListMeta;
}

/** A JSON body; undefined when it is none. */
async function jsonOf(response: Response): Promise<unknown> {
  if (!/\bjson\b/i.test(response.headers.get("content-type") ?? "")) return undefined;
  try {
    return await response.json();
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Sends a call once. Throws a PortError, or the signal's own reason, untouched, when the caller cancelled. */
export async function attempt(parts: AttemptParts, request: ApiRequest, key: string | null): Promise<ApiAnswer> {
  const { url, init } = onTheWire(request, parts.base, key);
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
    const response = await parts.fetch(url, { ...init, signal: controller.signal });
    // The journal of the worker has the calls of the channel, and none of the data lake, which would fill the list.
    if (!request.fromOrigin) parts.requestIds.remember(response.headers.get("x-request-id"));
    const body = await jsonOf(response);
    if (response.status !== 200) throw failureOf(response, body, parts.now());
    // A captive portal answers 200 with a page of its own: that is no answer of the channel.
    if (typeof body !== "object" || body === null) throw noAnswer("unexpected_answer");
    if (request.bare) return { data: body };
    if (!("data" in body)) throw noAnswer("unexpected_answer");
    if (response.headers.has(STALE_HEADER)) parts.answeredFromCache();
    const { data, meta } = body as Envelope;
    return meta === undefined ? { data } : { data, meta };
  } catch (error) {
    if (request.signal?.aborted) throw request.signal.reason;
    if (error instanceof PortError) throw error;
    throw noAnswer(timedOut ? "timeout" : "network", parts.isOnline());
  } finally {
    clearTimeout(timer);
    request.signal?.removeEventListener("abort", cancel);
  }
}
