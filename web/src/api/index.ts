import type { DevicePort } from "../ports/device";
import { PortError } from "../ports/error";
import { type Account, createAccount, isOtherUser } from "./account";
import { createArrivedAnswers } from "./arrivedAnswers";
import type { KeyValue } from "./database";
import { createDevice } from "./device";
import { type ApiMethod, answer } from "./endpoints";
import { createErrorLog } from "./errorLog";
import { exchangeOver } from "./exchange";
import { createKeyring, type Keyring } from "./keyring";
import { createKeys, type Keys } from "./keys";
import { exclusive, type Locks } from "./lock";
import { createMedia, type Media } from "./media";
import { createRequestIds, type RequestIds } from "./requestIds";
import { createTransport, type Transport, type TransportNews } from "./transport";

export type { Account, BankQuestion, Person } from "./account";
export type { KeyValue } from "./database";
export { type ApiMethod, isApiMethod } from "./endpoints";
export { keepPaymentSecret } from "./endpoints/orders";
export type { Keyring } from "./keyring";
export type { Keys, StoredKeys } from "./keys";
export { type Exclusive, exclusive, type Locks } from "./lock";
export { withoutPersonal } from "./personal";
export type { ApiAnswer, ApiRequest } from "./request";
export type { RequestIds } from "./requestIds";
export { pause } from "./timer";
export type { KeyLoss, Transport, TransportNews } from "./transport";

/** What the API client needs of the realm it runs in: a page or the service worker. */
export interface ApiParts {
  fetch: typeof fetch;
  database: KeyValue;
  /** Absent on plain HTTP away from localhost. */
  locks: Locks | undefined;
  /** The page's host name. */
  hostname: string;
  now(): number;
  /** What the browser says of the network. */
  isOnline(): boolean;
  newHandle(): string;
  news: TransportNews;
  /** The answers that the page came with, as JSON. */
  answers?: string | null;
  /** Told once a change of who is logged in is stored: other tabs can read it now. */
  personStored(): void;
}

/** The channel's API and what it knows of the account. */
export interface Api {
  readonly transport: Transport;
  readonly account: Account;
  readonly keys: Keys;
  readonly keyring: Keyring;
  readonly requestIds: RequestIds;
  readonly media: Media;
  readonly device: DevicePort;
  /** The status socket was refused under `key`: mends it, unless a login has replaced it meanwhile. */
  keyRefused(key: string): Promise<void>;
  /** Tells the error log of a defect of the site itself (CALL-10). `page`: its path without its query, where secrets may be. */
  logDefect(defect: Error, page: string): void;
  /** Answers a saga's call. */
  call(method: ApiMethod, args: object, signal: AbortSignal | undefined): Promise<unknown>;
}

/** Where the channel's API is. */
const BASE = "/api";

export function createApi(parts: ApiParts): Api {
  const { database, locks, hostname, now, isOnline, news } = parts;
  const requestIds = createRequestIds();
  const account = createAccount(parts);
  const keys = createKeys({
    database,
    changed(before, after) {
      if (isOtherUser(before, after) && after.user_id === null) void account.clear();
    },
  });
  const exchangeParts = { fetch: parts.fetch, base: BASE, now, isOnline, answeredFromCache: news.answeredFromCache };
  const exchange = exchangeOver({ ...exchangeParts, requestIds });
  // The ids that a viewer can report are those of their own requests, not those of the reports.
  const aside = exchangeOver({ ...exchangeParts, requestIds: createRequestIds() });
  const arrived = createArrivedAnswers(parts.answers ?? null, now);
  const keyring = createKeyring({
    keys,
    // Which channel a host shows is what the page came with, too.
    exchange: async (request, key) => arrived(request) ?? exchange(request, key),
    hostname,
    fetching: exclusive("touchline-key-fetch", locks),
    rotating: exclusive("touchline-key-rotation", locks),
  });
  const errorLog = createErrorLog(
    (line) => aside({ method: "POST", path: "/error-log", body: { ...line }, public: true }, null),
    now,
  );
  const transport = createTransport({
    exchange,
    keyring,
    keys,
    errorLog,
    news,
    arrived,
  });
  const surroundings = { transport, keyring, keys, account };
  return {
    transport,
    account,
    keys,
    keyring,
    requestIds,
    media: createMedia(transport),
    device: createDevice(transport),
    async keyRefused(key) {
      await keyring.rotating(async () => undefined);
      // The transport mends a key once it meets the fault itself.
      if ((await keys.read()).api_key === key) await transport.send({ method: "GET", path: "/geo" });
    },
    logDefect: ({ message }, page) => errorLog.report(new PortError({ code: "defect", message }), page),
    call: (method, args, signal) => answer(method, args, { ...surroundings, signal }),
  };
}
