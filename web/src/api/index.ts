import type { DevicePort } from "../ports/device";
import { PortError } from "../ports/error";
import { type Account, createAccount, isOtherUser } from "./account";
import type { AttemptDeps } from "./attempt";
import type { KeyValue } from "./database";
import { createDevice } from "./device";
import { createEmbeddedAnswers } from "./embeddedAnswers";
import { type ApiMethod, answer } from "./endpoints";
import { createErrorLog } from "./errorLog";
import { createExchange } from "./exchange";
import { createKeyring, type Keyring } from "./keyring";
import { createKeys, type Keys } from "./keys";
import { exclusive, type Locks } from "./lock";
import { createMedia, type Media } from "./media";
import { createRequestIds, type RequestIds } from "./requestIds";
import { createTransport, type Transport, type TransportEvents } from "./transport";

export type { Account } from "./account";
export { STALE_HEADER } from "./attempt";
export type { KeyValue } from "./database";
export { type ApiMethod, isApiMethod } from "./endpoints";
export { storePaymentSecret } from "./endpoints/orders";
export type { Keyring } from "./keyring";
export type { Keys, StoredKeys } from "./keys";
export { type Exclusive, exclusive, type Locks } from "./lock";
export { withoutPersonal } from "./personal";

export type { RequestIds } from "./requestIds";
export { pause } from "./timer";
export type { KeyLoss, Transport, TransportEvents } from "./transport";

/** Dependencies of the API client on its realm: a page or the service worker. */
export interface ApiDeps {
  fetch: typeof fetch;
  database: KeyValue;
  /** Absent on plain HTTP other than localhost. */
  locks: Locks | undefined;
  hostname: string;
  now(): number;
  /** The browser's own report of the network. */
  isOnline(): boolean;
  newHandle(): string;
  /** The browser, if its viewer allows analytics: its changes are recorded under it (ANA-14). */
  analyticsIdentity: AttemptDeps["analyticsIdentity"];
  news: TransportEvents;
  /** The answers embedded in the page, as JSON. */
  answers?: string | null;
  /** Called once a change of the signed-in user is stored and other tabs can read it. */
  personStored(): void;
}

/** The channel's API and the account data. */
export interface Api {
  readonly transport: Transport;
  readonly account: Account;
  readonly keys: Keys;
  readonly keyring: Keyring;
  readonly requestIds: RequestIds;
  readonly media: Media;
  readonly device: DevicePort;
  /** Replaces `key` after the status socket refused it, unless a login has done so meanwhile. */
  keyRefused(key: string): Promise<void>;
  /**
   * Reports a defect of the site to the error log (CALL-10). `page`: its path without the query, which may contain
   * secrets.
   */
  logDefect(defect: Error, page: string): void;
  /** Answers a saga's call. */
  call(method: ApiMethod, args: object, signal: AbortSignal | undefined): Promise<unknown>;
}

const BASE = "/api";

export function createApi(deps: ApiDeps): Api {
  const { database, locks, hostname, now, isOnline, news } = deps;
  const requestIds = createRequestIds();
  const account = createAccount(deps);
  const keys = createKeys({
    database,
    changed(before, after) {
      if (isOtherUser(before, after) && after.user_id === null) void account.clear();
    },
  });
  const { answeredFromCache, clockRead } = news;
  const exchangeDeps = {
    fetch: deps.fetch,
    base: BASE,
    now,
    isOnline,
    analyticsIdentity: deps.analyticsIdentity,
    answeredFromCache,
    clockRead,
  };
  const exchange = createExchange({ ...exchangeDeps, requestIds });
  // A viewer reports the ids of their own requests, not those of the reports.
  const reportExchange = createExchange({ ...exchangeDeps, requestIds: createRequestIds() });
  const embedded = createEmbeddedAnswers(deps.answers ?? null, now);
  const keyring = createKeyring({
    keys,
    now,
    // The channel of a host is embedded in the page as well.
    exchange: async (request, key) => embedded(request) ?? exchange(request, key),
    hostname,
    fetching: exclusive("touchline-key-fetch", locks),
    rotating: exclusive("touchline-key-rotation", locks),
  });
  const errorLog = createErrorLog(
    (line) => reportExchange({ method: "POST", path: "/error-log", body: { ...line }, public: true }, null),
    now,
  );
  const transport = createTransport({
    exchange,
    keyring,
    keys,
    errorLog,
    news,
    embedded,
  });
  const surroundings = { transport, keyring, keys, account };
  return {
    transport,
    account,
    keys,
    keyring,
    requestIds,
    media: createMedia(transport),
    device: createDevice({ transport, keyring, keys }),
    async keyRefused(key) {
      await keyring.rotating(async () => undefined);
      // The transport replaces a key when it meets the fault itself.
      if ((await keys.read()).api_key === key) await transport.send({ method: "GET", path: "/geo" });
    },
    logDefect: ({ message }, page) => errorLog.report(new PortError({ code: "defect", message }), page),
    call(method, args, signal) {
      const filled = Object.entries(args).map(([name, value]: [string, unknown]) => [
        name,
        typeof value === "string" ? account.filledIn(value) : value,
      ]);
      return answer(method, Object.fromEntries(filled), { ...surroundings, signal });
    },
  };
}
