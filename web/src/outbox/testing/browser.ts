import type { AnalyticsIdentity, OutboxItem } from "../../contracts/outbox";
import type { Json } from "../../lib/json";
import { DAY } from "../../lib/time";
import { PortError } from "../../ports/error";
import { openStateDatabase } from "../../storage/stateDatabase";
import type { OutboxRequest } from "../channel";
import { createOutbox, type Outbox, type OutboxDeps, type OutboxWire } from "../index";
import type { OutboxStore } from "../queue";

export const id = (n: number): string => `0190a6e0-0000-7000-8000-${String(n).padStart(12, "0")}`;
export const at = 1_795_255_200_000;
export const add = (n: number, team: number, user_id = 7): OutboxItem => ({
  id: id(n),
  kind: "favourite.add",
  user_id,
  at,
  payload: { favoritable_id: team, favoritable_type: "participant" },
});
export const removal = (n: number, team: number, favourite: number | null = null): OutboxItem => ({
  id: id(n),
  kind: "favourite.remove",
  user_id: 7,
  at,
  payload: { id: favourite, favoritable_id: team, favoritable_type: "participant" },
});
export const clip = (n: number): OutboxItem => ({
  id: id(n),
  kind: "clip.create",
  user_id: 7,
  at,
  payload: { event_id: 1, name: "Goal", start_time: 3, duration: 9, tags: ["goal"], event_media_id: 2 },
});
export const seen = (
  n: number,
  body: { [field: string]: Json } = { event: "page_view" },
  user_id?: number,
): OutboxItem => ({
  id: id(n),
  kind: "analytics",
  ...(user_id === undefined ? {} : { user_id }),
  at,
  payload: { path: "/datalake/event/", body },
});

/** The browser's limit for `keepalive` requests in flight (Fetch). */
export const KEEPALIVE_BYTES = 65_536;

export const session = { profile: "p1", session: "s1", expires_at: at + DAY };
export const sender = { profile: "p1", session_uuid: "s1" };

export const network = () => new PortError({ code: "network", message: "", retryable: true });
export const refused = (status: number, code: string, details: Json = null) =>
  new PortError({ code, message: `said ${code}`, status, retryable: status >= 500 || status === 429, details });

export type Answer = (request: OutboxRequest) => Json | Promise<Json>;
export const eventIds = ({ body }: OutboxRequest) =>
  (body as { events?: { id: string }[] }).events?.map((event) => event.id) ?? [];
export const accepting = (request: OutboxRequest): Json =>
  request.path === "/datalake/batch"
    ? { results: eventIds(request).map((event) => ({ id: event, outcome: "accepted" })) }
    : { id: 1 };

/** Delivers to every other outbox of the browser. */
function wires(): () => OutboxWire {
  const openWires: OutboxWire[] = [];
  return () => {
    const wire: OutboxWire = {
      onmessage: null,
      postMessage(message) {
        for (const other of openWires) if (other !== wire) other.onmessage?.({ data: structuredClone(message) });
      },
    };
    openWires.push(wire);
    return wire;
  };
}

let count = 0;

/** A browser without stored data, and its tabs. */
export function openBrowser() {
  const name = `outbox-${++count}`;
  const open = () => openStateDatabase(name);
  const store = open().storage("outbox");
  const joins = wires();

  function tab(answer: Answer, more: Partial<OutboxDeps> & { user?: number | null } = {}) {
    const sent: OutboxRequest[] = [];
    const channel = {
      async send(request: OutboxRequest) {
        sent.push(request);
        return answer(request);
      },
      userId: async () => (more.user === undefined ? 7 : more.user),
      emailOf: (userId: number) => (userId === 7 ? "vera@example.test" : null),
    };
    const database = open();
    const { store = database.storage("outbox") } = more;
    const { fenced = more.store ?? database.fenced("outbox") } = more;
    const realm = { store, fenced, channel, sendsAnalytics: true, wire: joins(), now: () => at };
    return { outbox: createOutbox({ ...realm, ...more }), sent, lead: () => database.lead() };
  }

  return { store, tab };
}

/** The same store on a full disk: it reads and deletes, and refuses writes. */
export function full(store: OutboxStore): OutboxStore {
  const isFull = () => new DOMException("full", "QuotaExceededError");
  return {
    ...over(store),
    setItem: () => Promise.reject(isFull()),
    update: (keys, change) =>
      store.update(keys, (values) => {
        const changes = change(values);
        if ([...changes.values()].some((value) => value !== undefined)) throw isFull();
        return changes;
      }),
  };
}

/** A store that delegates to another, for overriding parts. */
export const over = (store: OutboxStore): OutboxStore => ({
  getItem: (key) => store.getItem(key),
  setItem: (key, value) => store.setItem(key, value),
  removeItem: (key) => store.removeItem(key),
  update: (keys, change) => store.update(keys, change),
  entries: (prefix) => store.entries(prefix),
  trim: (prefix, most) => store.trim(prefix, most),
});

/** Sends both kinds and returns the number left of each. */
export async function drain(outbox: Outbox, identity: AnalyticsIdentity | null) {
  const seen = await outbox.drain();
  const analytics = await outbox.drainAnalytics(identity);
  return { left: seen.left + analytics.left, retry_after_ms: seen.retry_after_ms ?? analytics.retry_after_ms };
}

/** Hides the page and returns the requests it sends. */
export function hide(outbox: Outbox, answer: (bytes: number) => Promise<void> = async () => undefined) {
  const sent: string[] = [];
  outbox.pageHidden((_, body) => {
    sent.push(...eventIds({ body: JSON.parse(body) } as OutboxRequest));
    return answer(Buffer.byteLength(body));
  });
  return { sent };
}

export async function collected(outbox: Outbox) {
  const received: unknown[] = [];
  await outbox.collect(async (answered) => {
    received.push(
      ...answered.map(({ item, outcome, again }) => [item.id, outcome.outcome, ...(again ? ["again"] : [])]),
    );
  });
  return received;
}
