import type { Favourite, Id, Order, Profile } from "../../contracts/resources";
import type { Json } from "../../lib/json";
import type { OutboxRequest } from "../../outbox";
import { PortError } from "../../ports/error";
import { anOrder, aProfile } from "../../sagas/testing/resources";

const refuse = (status: number, code: string): never => {
  throw new PortError({ code, message: code, status, retryable: false });
};

/** `body`: the request, without its key. */
type PlacedOrder = Order & { readonly buyer: Id; readonly key: string; readonly body: object };

/** The channel for several tabs: it charges once per key, applies once per key, and records its requests. */
export class ScriptedChannel {
  readonly orders: PlacedOrder[] = [];
  readonly favourites = new Map<Id, Favourite[]>();
  /** Number of requests per key, for outbox items and purchases. */
  readonly came = new Map<string, number>();
  /** Forbidden requests. */
  readonly faults: string[] = [];
  /** Whether the bank asks about each purchase. */
  isAsking = false;
  private readonly bodies = new Map<string, string>();
  private readonly answers = new Map<string, Json>();
  private ids = 0;

  profile(user: Id | null): Profile {
    return aProfile({ id: user ?? refuse(401, "unauthenticated") });
  }

  listed(user: Id | null): Favourite[] {
    return this.favourites.get(user ?? refuse(401, "unauthenticated")) ?? [];
  }

  buy(user: Id | null, { idempotency_key: key, ...body }: { readonly idempotency_key: string }): Order {
    const buyer = user ?? refuse(401, "unauthenticated");
    this.comes(key);
    const text = JSON.stringify(body);
    if ((this.bodies.get(key) ?? text) !== text) this.faults.push(`key ${key} came with two requests`);
    this.bodies.set(key, text);
    const before = this.orders.find((order) => order.key === key);
    if (before === undefined) {
      const question = this.isAsking ? { next_action: { type: "confirm", client_secret: "s" } as const } : {};
      this.orders.push({ ...anOrder({ id: 1_000 + this.orders.length, ...question }), buyer, key, body });
    }
    if (before !== undefined && before.buyer !== buyer) this.faults.push(`key ${key} came from two people`);
    return this.order(user, (before ?? this.orders.at(-1))?.id ?? 0);
  }

  order(user: Id | null, id: Id): Order {
    const found = this.orders.find((order) => order.id === id && order.buyer === user);
    if (found === undefined) return refuse(user === null ? 401 : 404, "not_found");
    const { buyer: _, key: __, body: ___, ...order } = found;
    return order;
  }

  /** The bank's question was answered. */
  confirm(id: Id): null {
    this.change(id, ({ next_action: _, ...order }) => order);
    return null;
  }

  private change(id: Id, to: (order: PlacedOrder) => PlacedOrder): void {
    const index = this.orders.findIndex((order) => order.id === id);
    const order = this.orders[index];
    if (order?.status === "created") this.orders[index] = { ...to(order), version: order.version + 1 };
  }

  decide(status: "paid" | "failed"): void {
    for (const { id } of [...this.orders]) this.change(id, (order) => ({ ...order, status }));
  }

  /** Handles the outbox's requests. */
  take(user: Id, { method, path, body, idempotencyKey: key }: OutboxRequest): Json {
    const stored = this.favourites.get(user) ?? [];
    if (method === "GET") return stored as unknown as Json;
    if (key === undefined) return refuse(400, "no_idempotency_key");
    this.comes(key);
    if (!this.answers.has(key)) this.answers.set(key, this.apply(user, method === "POST" ? (body ?? {}) : path));
    return this.answers.get(key) ?? null;
  }

  private comes(key: string): void {
    this.came.set(key, (this.came.get(key) ?? 0) + 1);
  }

  private apply(user: Id, what: { readonly [name: string]: Json } | string): Json {
    const stored = this.favourites.get(user) ?? [];
    if (typeof what === "string") {
      this.favourites.set(
        user,
        stored.filter(({ id }) => what !== `/favorite/${id}`),
      );
      return null;
    }
    const same = stored.find(({ favoritable_id }) => favoritable_id === what.favoritable_id);
    const favourite = same ?? ({ id: ++this.ids, ...what } as unknown as Favourite);
    this.favourites.set(user, [...stored.filter((other) => other !== same), favourite]);
    return favourite as unknown as Json;
  }
}
