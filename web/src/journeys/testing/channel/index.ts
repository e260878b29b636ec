import { account } from "./account";
import { channelClock } from "./clock";
import { answerFaults, requestFaults } from "./document";
import { type Body, type Operations, Refusal, refuse } from "./request";
import { shop } from "./shop";
import { site } from "./site";
import { StatusSockets } from "./sockets";
import { createState, type State } from "./state";
import { viewing } from "./viewing";

/** The fake channel's operations, by method and path of the API document. */
export const operations: Operations = { ...site, ...account, ...shop, ...viewing };

/** A request that arrived, and its answer: no status if none was sent. */
export interface Exchange {
  readonly operation: string;
  readonly params: { readonly [name: string]: string };
  readonly query: URLSearchParams;
  readonly body: Body;
  readonly key: string | null;
  readonly idempotencyKey: string | null;
  status?: number;
}

/**
 * A call's failure: `away` (the request doesn't arrive), `lost` (it is processed, and the answer doesn't arrive),
 * `silent` (never answered), a promise (delays the answer), or another answer.
 */
export type Fault = "away" | "lost" | "silent" | Promise<void> | Answer;
/** A fault's answer in place of the channel's. It may violate the document. A string is HTML. */
interface Answer {
  readonly status: number;
  readonly body: unknown;
}

interface PlannedFault {
  readonly operation: string;
  readonly fault: Fault;
  remaining: number;
}

interface Route {
  readonly operation: string;
  readonly method: string;
  readonly path: RegExp;
}

const routeOf = (operation: string): Route => {
  const [method = "", path = ""] = operation.split(" ");
  return { operation, method, path: new RegExp(`^${path.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`) };
};
const KEYS = "GET /keys/{hostname}.json";
const API_KEY = "POST /api/get_api_key";
const NEW_KEY = [KEYS, API_KEY];
/** Operations that need no API key. */
const OPEN = [
  ...NEW_KEY,
  "POST /api/error-log",
  "POST /api/problem-report",
  "GET /datalake/hash/",
  "POST /datalake/batch",
];
/** Literal segments before parameters: `/events/favorite` isn't an event. */
const routes = [...NEW_KEY, ...Object.keys(operations)]
  .map(routeOf)
  .sort((a, b) => Number(a.operation.includes("{")) - Number(b.operation.includes("{")));

const networkError = (): TypeError => new TypeError("Failed to fetch");

/** The channel API in memory, in the shape of docs/openapi.json: every request and answer is checked against it. */
export class FakeChannel {
  readonly state: State = createState();
  readonly sockets = new StatusSockets(this.state);
  /** Every request that arrived, oldest first. */
  readonly exchanges: Exchange[] = [];
  /** Requests and answers that violate the API document. A journey must end with none. */
  readonly faults: string[] = [];
  /** Whether requests arrive. */
  reachable = true;
  /** Whether requests stay without an answer. */
  silent = false;
  /** The status of a page that answers in the channel's place: a captive portal's, or a proxy's without a worker. */
  intermediary: number | null = null;
  /** Decides at random, in walks, whether a request or answer is lost. */
  isLost: () => boolean = () => false;
  /** Open calls. */
  pending = 0;
  private planned: PlannedFault[] = [];
  /** Answers by Idempotency-Key. */
  private readonly answered = new Map<string, { body: string; answer: unknown }>();

  /** Makes the next `times` calls of an operation fail, by default all of them. */
  fail(operation: string, fault: Fault, times = Number.POSITIVE_INFINITY): void {
    this.planned.push({ operation, fault, remaining: times });
  }

  /** Ends every planned failure. */
  heal(): void {
    this.planned = [];
    this.reachable = true;
    this.silent = false;
    this.intermediary = null;
    this.isLost = () => false;
  }

  /** The requests of an operation that arrived. */
  requests(operation: string): Exchange[] {
    return this.exchanges.filter((exchange) => exchange.operation === operation);
  }

  /** `window.fetch` of a page of this channel. */
  readonly fetch = async (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    this.pending += 1;
    try {
      return await Promise.race([
        this.respond(new URL(String(input), "http://channel.test"), init),
        aborted(init.signal),
      ]);
    } finally {
      this.pending -= 1;
    }
  };

  private takeFault(operation: string): Fault | null {
    const planned = this.planned.find((one) => one.operation === operation && one.remaining > 0);
    if (!planned) return null;
    planned.remaining -= 1;
    return planned.fault;
  }

  private async respond(url: URL, init: RequestInit): Promise<Response> {
    await Promise.resolve();
    // Images and settings files of the channel's folder don't exist here.
    if (!/^\/(api|datalake|keys)\//.test(url.pathname)) return new Response(null, { status: 404 });
    const method = init.method ?? "GET";
    const route = routes.find((one) => one.method === method && one.path.test(url.pathname));
    if (route === undefined) {
      this.faults.push(`${method} ${url.pathname} is not an operation of the fake channel`);
      throw networkError();
    }
    if (this.silent) return new Promise<never>(() => undefined);
    const { intermediary: status } = this;
    if (status !== null) return new Response("<p>Sign in</p>", { status, headers: { "content-type": "text/html" } });
    const { operation } = route;
    const fault = this.takeFault(operation);
    if (!this.reachable || fault === "away" || this.isLost()) throw networkError();
    const body = (typeof init.body === "string" ? JSON.parse(init.body) : {}) as Body;
    const key = url.searchParams.get("api_key") ?? (body.api_key as string | undefined) ?? null;
    const idempotencyKey = new Headers(init.headers).get("idempotency-key");
    const params = { ...route.path.exec(url.pathname)?.groups };
    const exchange: Exchange = { operation, params, query: url.searchParams, body, key, idempotencyKey };
    this.exchanges.push(exchange);
    if (fault === "silent") return new Promise<never>(() => undefined);
    if (fault instanceof Promise) await fault;
    const { status: answered, body: answer } = isAnswer(fault) ? fault : this.answer(exchange);
    if (fault === "lost" || this.isLost()) throw networkError();
    exchange.status = answered;
    if (!isAnswer(fault)) this.faults.push(...answerFaults(operation, answered, answer));
    if (isAnswer(fault) && typeof answer === "string")
      return new Response(answer, { status: answered, headers: { "content-type": "text/html" } });
    return Response.json(answer, {
      status: answered,
      headers: {
        "x-request-id": `request-${this.exchanges.length}`,
        "cache-control": "no-store",
        date: new Date(channelClock.now()).toUTCString(),
      },
    });
  }

  private answer(exchange: Exchange): Answer {
    try {
      return { status: 200, body: this.perform(exchange) };
    } catch (error) {
      if (!(error instanceof Refusal)) {
        this.faults.push(String(error));
        throw error;
      }
      const { status, code, message, more } = error;
      return { status, body: { message, code, errors: {}, ...more } };
    }
  }

  private perform(exchange: Exchange): unknown {
    const { operation, body, query, idempotencyKey } = exchange;
    const { people } = this.state;
    if (operation === KEYS) return { channel_key: "northfield" };
    this.faults.push(...requestFaults(operation, body));
    if (operation === API_KEY) {
      if (body.channel_key !== "northfield") refuse(400, "channel_key", "No channel or api key found.", "channel_key");
      return { data: { api_key: people.issueKey(null) } };
    }
    const key = exchange.key ?? "";
    if (!OPEN.includes(operation) && !people.keys.has(key))
      refuse(400, "api_key", "No channel or api key found.", "api_key");
    const before = idempotencyKey === null ? undefined : this.answered.get(`${key} ${idempotencyKey}`);
    if (before !== undefined) {
      if (before.body !== JSON.stringify(body)) this.faults.push(`${operation}: one Idempotency-Key, two requests`);
      return before.answer;
    }
    const person = people.keys.get(key) ?? null;
    const data = operations[operation]?.({ ...exchange, state: this.state, key, person });
    const answer = Array.isArray(data) ? pageOf(data, query, operation) : { data };
    const copy = JSON.parse(JSON.stringify(answer)) as unknown;
    if (idempotencyKey !== null)
      this.answered.set(`${key} ${idempotencyKey}`, { body: JSON.stringify(body), answer: copy });
    return copy;
  }
}

const isAnswer = (fault: Fault | null): fault is Answer =>
  typeof fault === "object" && fault !== null && "status" in fault;

/** Lists that have no pages. */
const WHOLE = /^GET \/api\/(?:clips\/|packages$)/;

function pageOf(list: readonly unknown[], query: URLSearchParams, operation: string) {
  const isWhole = query.has("no_limit") || WHOLE.test(operation);
  const limit = isWhole ? list.length : Number(query.get("limit") ?? 20);
  const offset = Number(query.get("offset") ?? 0);
  return { data: list.slice(offset, offset + limit), meta: { total: list.length, limit, offset } };
}

/** Fails once the signal is aborted. */
const aborted = (signal: AbortSignal | null | undefined): Promise<never> =>
  new Promise((_, reject) => {
    const fail = (): void => reject(signal?.reason ?? new DOMException("aborted", "AbortError"));
    if (signal?.aborted) return fail();
    signal?.addEventListener("abort", fail, { once: true });
  });
