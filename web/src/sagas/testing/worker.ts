import type { Clip, Order, OrderStatus } from "../../contracts/resources";
import type { ResourceStatus, Welcome } from "../../contracts/sync";
import { PortError } from "../../ports/ask";
import { connectionInputs } from "../../slices/connection";
import { outboxActions } from "../../slices/outbox";
import { aBootstrap, aClip, anEvent, anOrder, aPreroll, aProfile, settings } from "./resources";
import type { Script, TestWorld } from "./world";

/** What a scripted worker is made of: chance comes from a seeded source. */
export interface WorkerParts {
  random(): number;
  /** The share of calls that get no answer. */
  readonly loss: number;
}

const lost = (): never => {
  throw new PortError({ code: "network", message: "The network is away", retryable: true });
};

/** The worker as far as a viewer meets it: it charges once a key, decides orders in its time, and pushes what it can. */
export class ScriptedWorker {
  readonly charges = new Map<string, string>();
  readonly orders = new Map<number, Order>();
  /** What the outbox has stored and not yet sent, by id. */
  readonly stored = new Map<string, { kind: string; payload: unknown }>();
  readonly applied = new Map<string, number>();
  readonly clips = new Map<number, Clip>();
  /** Statuses that newer ones have replaced. */
  private readonly past: ResourceStatus[] = [];
  /** What a worker must never be asked. */
  readonly faults: string[] = [];
  world: TestWorld | null = null;
  connected = false;
  loggedIn = true;
  reachable = true;
  private loss: number;
  private seq = 0;
  private readonly random: () => number;

  constructor({ random, loss }: WorkerParts) {
    this.random = random;
    this.loss = loss;
  }

  /** From now on everything is answered. */
  heal(): void {
    this.loss = 0;
    this.reachable = true;
  }

  private reach(): void {
    if (!this.reachable || this.random() < this.loss) lost();
  }

  script(): Script {
    const prerolls = [aPreroll({ id: 1, weight: 1 }), aPreroll({ id: 2, weight: 2 })];
    const bootstrap = aBootstrap({ settings: settings({ prerolls }) });
    const reached =
      <T>(answer: T) =>
      (): T => {
        this.reach();
        return answer;
      };
    return {
      "account.status": () => ({ channel_key: true, api_key: true, user_id: this.loggedIn ? 7 : null }),
      "api.getApiKey": reached(null),
      "api.getBootstrap": reached(bootstrap),
      "api.getParticipants": reached([]),
      "api.getProfile": () => this.signedIn(aProfile()),
      "api.getEvent": () => {
        this.reach();
        const owned = [...this.orders.values()].some(({ status }) => status === "paid");
        return anEvent({ has_access: owned });
      },
      "api.login": () => {
        this.reach();
        this.loggedIn = true;
        this.connected = false;
        return aProfile();
      },
      "api.logout": () => {
        this.loggedIn = false;
        this.connected = false;
        return null;
      },
      "api.buy": (args) => {
        this.reach();
        const { idempotency_key, ...body } = args;
        const before = this.charges.get(idempotency_key);
        if (before !== undefined && before !== JSON.stringify(body)) this.faults.push("one key, two requests");
        this.charges.set(idempotency_key, JSON.stringify(body));
        const id = 1_000 + [...this.charges.keys()].indexOf(idempotency_key);
        const order = this.orders.get(id) ?? anOrder({ id });
        this.orders.set(id, order);
        // The answer may be lost on its way though the order stands.
        this.reach();
        return order;
      },
      "api.getOrder": ({ id }) => this.signedIn(this.orders.get(id) ?? lost()),
      "api.listUserClips": () => this.signedIn([...this.clips.values()]),
      "sync.connect": (): Welcome => {
        this.reach();
        this.connected = true;
        const snapshot: ResourceStatus[] = [
          ...[...this.orders.values()].map((order) => this.status(order)),
          ...[...this.clips.values()].map((clip) => this.statusOfClip(clip)),
        ];
        return { epoch: "e", user_seq: this.seq, channel_seq: 0, mode: "snapshot", snapshot, ping_ms: 1_000_000 };
      },
      "sync.close": () => {
        this.connected = false;
        return null;
      },
      "outbox.put": ({ item }) => {
        if (!this.applied.has(item.id)) this.stored.set(item.id, { kind: item.kind, payload: item.payload });
        return null;
      },
      "outbox.drain": () => {
        this.reach();
        for (const [id, { kind, payload }] of this.stored) {
          if (kind === "analytics") continue;
          this.arrived(id);
          const answer = this.apply(kind, payload);
          this.world?.input(
            "storage",
            outboxActions.itemAnswered({ id, kind, payload, outcome: { outcome: "done", answer } } as never),
          );
        }
        return { left: 0, retry_after_ms: null };
      },
      "outbox.drainAnalytics": () => {
        this.reach();
        for (const [id, { kind }] of this.stored) if (kind === "analytics") this.arrived(id);
        return { left: 0, retry_after_ms: null };
      },
    };
  }

  private arrived(id: string): void {
    this.stored.delete(id);
    this.applied.set(id, (this.applied.get(id) ?? 0) + 1);
  }

  private apply(kind: string, payload: unknown): unknown {
    if (kind !== "clip.create") return { id: this.applied.size, ...(payload as object) };
    const clip = aClip({ id: 2_000 + this.clips.size });
    this.clips.set(clip.id, clip);
    return clip;
  }

  private signedIn<T>(answer: T): T {
    this.reach();
    if (!this.loggedIn) throw new PortError({ code: "unauthenticated", message: "Unauthenticated.", status: 401 });
    return answer;
  }

  private status(order: Order) {
    return { stream: "user" as const, kind: "order" as const, id: order.id, version: order.version, state: order };
  }

  private statusOfClip(clip: Clip) {
    return { stream: "user" as const, kind: "clip" as const, id: clip.id, version: clip.version, state: clip };
  }

  /** Tells again what has been replaced, as an upstream does that sends late or twice. */
  repeatPast(): void {
    for (const status of this.past) this.push(connectionInputs.statusReceived({ ...status, seq: ++this.seq }));
  }

  /** Decides every order that is open, and pushes where somebody listens. */
  decide(status: Extract<OrderStatus, "paid" | "failed">): void {
    for (const order of this.orders.values()) {
      if (order.status !== "created") continue;
      const activity_status = status === "paid" ? "active" : "inactive";
      const decided: Order = { ...order, status, activity_status, version: order.version + 1 };
      this.orders.set(order.id, decided);
      this.past.push(this.status(order));
      this.push(connectionInputs.statusReceived({ ...this.status(decided), seq: ++this.seq }));
    }
  }

  /** Finishes every clip that is being cut. */
  finishClips(): void {
    for (const clip of this.clips.values()) {
      if (clip.status === "ready") continue;
      const ready: Clip = { ...clip, status: "ready", version: clip.version + 1 };
      this.clips.set(clip.id, ready);
      this.past.push(this.statusOfClip(clip));
      this.push(connectionInputs.statusReceived({ ...this.statusOfClip(ready), seq: ++this.seq }));
    }
  }

  /** The socket breaks. */
  drop(): void {
    this.push(connectionInputs.closed({ code: 1006 }));
    this.connected = false;
  }

  private push(action: { type: string; payload?: unknown }): void {
    if (this.connected && this.reachable && this.loggedIn) this.world?.input("sync", action);
  }
}
