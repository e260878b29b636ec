import { MAX_RETRY_AFTER } from "../contracts/outbox";
import type { Json } from "../lib/json";
import { foreignCode, PortError, type PortErrorJson, THROTTLED } from "../ports/error";
import type { Crash } from "./request";

const UNAVAILABLE = "Apologies! Our service is currently experiencing technical difficulties.";
const WRONG = "Something went wrong. Please try again or contact technical support.";
/** Message of a refusal that names no reason (ERR-9). */
const UNDEFINED = "Undefined error.";

const OFFLINE = "You’re offline. Try again when you’re back online.";

/** Format of the channel's error codes. */
const CODE = /^[a-z][a-z0-9_]*$/;

/** The channel's own errors have at least one of these fields. */
const CHANNEL_FIELDS = ["code", "message", "errors"] as const;

/** A call that got no answer. */
export const noAnswer = (code: "network" | "timeout" | "unexpected_answer", isOnline = true): PortError =>
  new PortError({ code, message: isOnline ? WRONG : OFFLINE, retryable: true });

export const noApiKey = (): PortError => new PortError({ code: "no_api_key", message: "no api key", retryable: true });

export const wrongUser = (): PortError =>
  new PortError({ code: "wrong_user", message: "This request belongs to another user.", retryable: true });

/** Parses `Retry-After`, in seconds or as a date of the channel's clock, into milliseconds. */
function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null || header.trim() === "") return null;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_RETRY_AFTER) : null;
}

function fieldErrors(errors: unknown): { [field: string]: string[] } {
  if (typeof errors !== "object" || errors === null) return {};
  return Object.fromEntries(
    Object.entries(errors).flatMap(([field, texts]) => {
      const list = (Array.isArray(texts) ? texts : [texts]).filter((text) => typeof text === "string");
      return list.length === 0 ? [] : [[field, list]];
    }),
  );
}

function messageOf(status: number, detail: { readonly [name: string]: unknown }): string {
  if (status === 429) return THROTTLED;
  if (typeof detail.message === "string") return detail.message;
  if (status >= 500) return UNAVAILABLE;
  return CHANNEL_FIELDS.some((field) => field in detail) ? UNDEFINED : WRONG;
}

/**
 * The error of an answer other than 200. A body of another shape, such as a proxy's page, is identified by its status.
 */
export function failureOf(response: Response, body: unknown, now: number): PortError {
  const { status } = response;
  const detail = typeof body === "object" && body !== null ? (body as { [name: string]: unknown }) : {};
  const details: { [name: string]: Json } = {};
  const requestId = response.headers.get("x-request-id");
  if (requestId !== null) details.request_id = requestId;
  const date = Date.parse(response.headers.get("date") ?? "");
  const wait = retryAfterMs(response.headers.get("retry-after"), Number.isNaN(date) ? now : date);
  if (wait !== null) details.retry_after_ms = wait;
  if (typeof detail.price === "object" && detail.price !== null) details.price = detail.price as Json;
  const failure: PortErrorJson = {
    code: typeof detail.code === "string" && CODE.test(detail.code) ? detail.code : foreignCode(status),
    message: messageOf(status, detail),
    status,
    // An intermediary's answer says nothing about what the channel would answer.
    retryable: status >= 500 || status === 429 || status === 408 || !CHANNEL_FIELDS.some((field) => field in detail),
    errors: fieldErrors(detail.errors),
    details,
  };
  return new PortError(failure);
}

/** The key that an answer rejects, if any. */
export function faultyKey(error: PortError): "channel_key" | "api_key" | null {
  if (error.status !== 400) return null;
  if (error.errors.channel_key) return "channel_key";
  return error.errors.api_key ? "api_key" : null;
}

/** Whether the call's configuration makes this failure one of the whole site. */
export function isCrash(error: PortError, crash: Crash | undefined): boolean {
  if (!crash || error.status === undefined || error.status === 429) return false;
  if (crash.allow?.includes(error.status)) return false;
  return crash.on.includes(error.status >= 500 ? "5xx" : "4xx");
}
