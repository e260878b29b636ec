import { type ApiAnswer, type ApiRequest, addressOf } from "./request";

/** For how long the page's answers stand for the channel's, milliseconds. */
const GOOD_FOR_MS = 20_000;

/** Takes the answer that the page came with; null where it came with none. */
export type ArrivedAnswers = (request: ApiRequest) => ApiAnswer | null;

/**
 * The answers that the worker put into the page, by call: what a visitor would be told at that moment (FAST-3). Each
 * stands for one call, while the page is young: whoever asks again wants to know what is so now.
 */
export function createArrivedAnswers(json: string | null, now: () => number): ArrivedAnswers {
  const until = now() + GOOD_FOR_MS;
  let answers: { [call: string]: ApiAnswer | undefined } | null = null;
  const read = (): { [call: string]: ApiAnswer | undefined } => {
    try {
      return (JSON.parse(json ?? "{}") as typeof answers) ?? {};
    } catch {
      // A page that was cut off on its way asks for what it lacks.
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
