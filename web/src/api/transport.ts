import type { Id } from "../contracts/resources";
import type { ClockReading } from "../ports/clock";
import { isRefusal, PortError, retryAfterOf } from "../ports/error";
import type { EmbeddedAnswers } from "./embeddedAnswers";
import type { ErrorLog } from "./errorLog";
import { type Exchange, RETRY_DELAY_MS } from "./exchange";
import { faultyKey, isCrash, noAnswer, wrongUser } from "./failure";
import type { Keyring } from "./keyring";
import type { Keys } from "./keys";
import { type ApiAnswer, type ApiRequest, type Crash, loggedAddress } from "./request";
import { pause } from "./timer";

/** Events that concern the whole site, not only the caller. */
export interface TransportEvents {
  /** 429: too many requests. */
  throttled(retryAfterMs: number | null): void;
  /** A failure that the call's configuration makes one of the whole site. */
  crashed(error: PortError, crash: Crash | undefined): void;
  /** The worker doesn't accept the viewer as logged in. */
  unauthenticated(): void;
  /** The API key was refused and dropped, and the user with it. */
  apiKeyLost(): void;
  /** The channel was unreachable, and the service worker answered from its cache. */
  answeredFromCache(): void;
  /** An answer contained the channel's time. */
  clockRead(reading: ClockReading): void;
}

/** Reason for the loss of the user's key. */
export type KeyLoss = "unauthenticated" | "api_key";

/** The channel's API (ERR-1 to ERR-7): keys, their faults, failures and the events they cause. */
export interface Transport {
  send(request: ApiRequest): Promise<ApiAnswer>;
  /** Runs `work`, which fetches keys itself, and treats its failures as those of any call. */
  watched<T>(request: ApiRequest, work: () => Promise<T>): Promise<T>;
}

export interface TransportDeps {
  exchange: Exchange;
  keyring: Keyring;
  keys: Keys;
  errorLog: ErrorLog;
  news: TransportEvents;
  /** The answers embedded in the page, for anonymous visitors only. */
  embedded?: EmbeddedAnswers | undefined;
}

const NO_KEY = { api_key: null, user_id: null };

export function createTransport({
  exchange,
  keyring,
  keys,
  errorLog,
  news,
  embedded: arrived,
}: TransportDeps): Transport {
  /**
   * Sends under a key that may be out of date: each kind of fault is corrected once. A call is never sent again under
   * another user's key.
   */
  async function sendKeyed(request: ApiRequest): Promise<ApiAnswer> {
    const replaced = new Set<"newer" | "api_key" | "channel_key">();
    let sender: Id | null = null;
    for (;;) {
      const { api_key: key, user_id } = request.public ? NO_KEY : await keyring.withApiKey();
      if (request.asUser !== undefined && request.asUser !== user_id) throw wrongUser();
      if (sender !== null && user_id !== null && user_id !== sender) throw wrongUser();
      sender ??= user_id;
      request.signal?.throwIfAborted();
      const answer = user_id === null ? arrived?.(request) : null;
      if (answer) return answer;
      try {
        return await exchange(request, key);
      } catch (error) {
        if (!(error instanceof PortError) || key === null) throw error;
        if (error.status === 401 && isRefusal(error)) await forgetUserOf(key);
        const fault = faultyKey(error);
        if (fault === null) throw error;
        // A login in progress has revoked this key and not yet stored its replacement.
        if (!request.rotates) await keyring.rotating(async () => undefined);
        // A tab that just logged in has stored a newer key; clearing it would sign that tab out.
        const isOutdated = (await keys.read()).api_key !== key;
        const remedy = isOutdated ? "newer" : fault;
        if (replaced.has(remedy)) throw error;
        replaced.add(remedy);
        if (remedy === "newer") continue;
        if (remedy === "api_key") {
          if (await keyring.dropApiKey(key)) news.apiKeyLost();
        } else if (await keyring.dropBoth(key)) news.unauthenticated();
        await pause(RETRY_DELAY_MS, request.signal);
      }
    }
  }

  /**
   * Signs the user of `key` out. An answer to an old key doesn't concern a user who logged in since. For the current
   * key the event is sent even without a user: the service worker may have dropped the key without this page noticing.
   */
  async function forgetUserOf(key: string): Promise<void> {
    let isPresent = false;
    await keys.change((now) => {
      isPresent = now.api_key === key;
      return isPresent && now.user_id !== null ? { ...now, user_id: null } : now;
    });
    if (isPresent) news.unauthenticated();
  }

  function report(request: ApiRequest, error: PortError): void {
    if (error.status === 429) news.throttled(retryAfterOf(error));
    if (isCrash(error, request.crash)) news.crashed(error, request.crash);
    const isSkipped =
      ["wrong_user", "switched_off"].includes(error.code) || request.skipLog?.includes(error.status ?? 0);
    if (!isSkipped) errorLog.report(error, loggedAddress(request));
  }

  async function watched<T>(request: ApiRequest, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof PortError) report(request, error);
      throw error;
    }
  }

  async function sendFitting(request: ApiRequest): Promise<ApiAnswer> {
    const answer = await sendKeyed(request);
    if (request.fits && !request.fits(answer.data)) throw noAnswer("unexpected_answer");
    return answer;
  }

  return { send: (request) => watched(request, () => sendFitting(request)), watched };
}
