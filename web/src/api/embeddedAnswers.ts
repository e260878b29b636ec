import { type ApiAnswer, type ApiRequest, addressOf } from "./request";

/** Lifetime of the answers embedded in the page, in milliseconds. */
const LIFETIME_MS = 20_000;

/** Takes the embedded answer to a request; null if the page has none. */
export type EmbeddedAnswers = (request: ApiRequest) => ApiAnswer | null;

/**
 * The answers that the worker embedded in the page for an anonymous visitor, by call (FAST-3). Each is used once, while
 * the page is young; later calls go to the channel.
 */
export function createEmbeddedAnswers(json: string | null, now: () => number): EmbeddedAnswers {
  const until = now() + LIFETIME_MS;
  let answers: { [call: string]: ApiAnswer | undefined } | null = null;
  const read = (): { [call: string]: ApiAnswer | undefined } => {
    try {
      return (JSON.parse(json ?? "{}") as typeof answers) ?? {};
    } catch {
      // A truncated page requests what is missing.
      return {};
    }
  };
  return (request) => {
    if (json === null || request.method !== "GET" || now() > until) return null;
    answers ??= read();
    const call = addressOf(request);
    const answer = answers[call];
    delete answers[call];
    return answer ?? null;
  };
}
