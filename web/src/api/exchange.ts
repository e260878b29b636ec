import { PortError } from "../ports/error";
import { type AttemptDeps, attempt } from "./attempt";
import { type ApiAnswer, type ApiRequest, isRepeatable } from "./request";
import { pause } from "./timer";

/** Delay before the one retry, in milliseconds (LIM-1). */
export const RETRY_DELAY_MS = 1000;

/** Sends a call under a key. */
export type Exchange = (request: ApiRequest, key: string | null) => Promise<ApiAnswer>;

const isPassing = (error: PortError): boolean => error.retryable && error.status !== 429;

/** Sends a call, and retries it once after a second if it got no usable answer and is safe to repeat. */
export const createExchange =
  (deps: AttemptDeps): Exchange =>
  async (request, key) => {
    let first: PortError;
    try {
      return await attempt(deps, request, key);
    } catch (error) {
      if (!(error instanceof PortError) || !isPassing(error) || !isRepeatable(request)) throw error;
      first = error;
    }
    await pause(RETRY_DELAY_MS, request.signal);
    try {
      return await attempt(deps, request, key);
    } catch (error) {
      // A 429 for the retry doesn't show what the first attempt did.
      if (error instanceof PortError && error.status === 429 && request.idempotencyKey !== undefined) throw first;
      throw error;
    }
  };
