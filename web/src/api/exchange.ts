import { PortError } from "../ports/error";
import { type AttemptParts, attempt } from "./attempt";
import { type ApiAnswer, type ApiRequest, isRepeatable } from "./request";
import { pause } from "./timer";

/** How long a call waits before it is sent once more, milliseconds (LIM-1). */
export const RETRY_DELAY_MS = 1000;

/** Sends a call under a key. */
export type Exchange = (request: ApiRequest, key: string | null) => Promise<ApiAnswer>;

const isPassing = (error: PortError): boolean => error.retryable && error.status !== 429;

/** Sends a call, and once more after a second when it got no usable answer and may arrive twice. */
export const exchangeOver =
  (parts: AttemptParts): Exchange =>
  async (request, key) => {
    let first: PortError;
    try {
      return await attempt(parts, request, key);
    } catch (error) {
      if (!(error instanceof PortError) || !isPassing(error) || !isRepeatable(request)) throw error;
      first = error;
    }
    await pause(RETRY_DELAY_MS, request.signal);
    try {
      return await attempt(parts, request, key);
    } catch (error) {
      // Being turned away at the door says nothing of what the first of the two may have done.
      if (error instanceof PortError && error.status === 429 && request.idempotencyKey !== undefined) throw first;
      throw error;
    }
  };
