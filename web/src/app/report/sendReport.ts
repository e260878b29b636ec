import type { SessionSummary } from "../../eventlog/sessionSummary";
import { canCompress, gzip } from "./gzip";

export interface ProblemReport {
  readonly note: string;
  /** The page's path, without its query. */
  readonly page: string;
  readonly log: string;
  /** Newest first. */
  readonly request_ids: readonly string[];
  /** Absent without a recording. */
  readonly summary?: SessionSummary;
}

export type Sent =
  | { readonly at: "sent"; readonly id: string }
  | { readonly at: "failed"; readonly why: "throttled" | "failed" };

/** Maximum length of a note in characters, as in the worker. */
export const MAX_NOTE_LENGTH = 4_000;
const MAX_REQUEST_IDS = 500;
/** A session can be a megabyte, and mobile uploads are slow. */
const UPLOAD_TIMEOUT_MS = 120_000;

interface Receipt {
  readonly data?: { readonly id?: unknown };
}

/** The request body, compressed if the browser supports it. */
async function packed(json: string): Promise<Pick<RequestInit, "headers" | "body">> {
  const headers = { "Content-Type": "application/json" };
  if (!canCompress()) return { headers, body: json };
  return { headers: { ...headers, "Content-Encoding": "gzip" }, body: await gzip(json) };
}

/** Sends a report without a key and without the API client, since either may be the cause of the problem. */
export async function sendReport(report: ProblemReport, send: typeof fetch): Promise<Sent> {
  const body = {
    ...report,
    note: report.note.slice(0, MAX_NOTE_LENGTH),
    request_ids: report.request_ids.slice(0, MAX_REQUEST_IDS),
  };
  try {
    const response = await send("/api/problem-report", {
      method: "POST",
      ...(await packed(JSON.stringify(body))),
      credentials: "omit",
      signal: AbortSignal.timeout(UPLOAD_TIMEOUT_MS),
    });
    if (response.status === 429) return { at: "failed", why: "throttled" };
    if (!response.ok) return { at: "failed", why: "failed" };
    const { data } = (await response.json()) as Receipt;
    return typeof data?.id === "string" ? { at: "sent", id: data.id } : { at: "failed", why: "failed" };
  } catch {
    return { at: "failed", why: "failed" };
  }
}
