import { wrongUser } from "../../api/failure";
import type { AnalyticsIdentity } from "../../contracts/outbox";
import type { Id } from "../../contracts/resources";
import { createVirtualTime } from "../../eventlog/testing/virtual-time";
import { createOutbox, type OutboxStore, type OutboxWire } from "../../outbox";
import { memoryStore } from "../../outbox/testing/memory";
import { PortError } from "../../ports/error";
import { program } from "../../sagas/program";
import { aBootstrap, anEvent } from "../../sagas/testing/resources";
import { BEGAN, openWorld, type Script, type TestWorld } from "../../sagas/testing/world";
import { collectOutboxResults } from "../../session/outboxResults";
import { type RootState, tabScoped, viewerScoped } from "../../slices";
import { authActions, selectViewer } from "../../slices/auth";
import { connectionInputs } from "../../slices/connection";
import { createLeadership, type Leadership } from "../leadership";
import type { ViewerState, Wire } from "../messages";
import { createNotingReducer } from "../streamedActions";
import { ScriptedChannel } from "./channel";
import { Locks } from "./locks";

/** A page of the browser. Its messages wait in `inbox` until delivered. */
export class Tab {
  readonly inbox: unknown[] = [];
  readonly wire: Wire = { onmessage: null, postMessage: () => undefined };
  world!: TestWorld;
  leadership!: Leadership;
  isClosed = false;
  /** The page is frozen: it runs and receives nothing. */
  isFrozen = false;
  isVisible = true;
  /** Deferred until it thaws. */
  readonly late: (() => void)[] = [];

  constructor(readonly name: string) {}

  /** Whether this page writes the viewer's slices. */
  get leads(): boolean {
    return this.leadership.isLeading();
  }
}

/** A call, or its answer, in flight. */
interface PendingCall {
  readonly tab: Tab;
  go(): void;
  lose(): void;
}

const REPLACED = "another page leads";
const forEver = (): Promise<never> => new Promise(() => undefined);
const lost = (): PortError => new PortError({ code: "network", message: "The network is away", retryable: true });

export interface TabsOptions {
  random(): number;
  /** The share of calls that get no answer. */
  readonly loss: number;
  /** The share of slow calls. */
  readonly slow: number;
}

const pick = (state: RootState, names: readonly (keyof RootState)[]): Partial<RootState> =>
  JSON.parse(JSON.stringify(Object.fromEntries(names.map((name) => [name, state[name]]))));

/**
 * The tabs of one browser over one channel: the product's sagas, reducer, leadership and outbox, with every message and
 * answer controlled by the test. A closed tab leaves its locks, its messages, and its stored data.
 */
export class Tabs {
  readonly channel = new ScriptedChannel();
  readonly open: Tab[] = [];
  /** The user of the browser's key. */
  user: Id | null = null;
  /** The hearts that the outbox stored, with their users. */
  readonly put = new Map<string, Id | undefined>();
  private readonly locks = new Locks();
  private readonly items = new Map<string, unknown>();
  private readonly outboxWires = new Map<Tab, OutboxWire>();
  /** The leader's last stored state, and the generation that may write. */
  private stored: ViewerState | null = null;
  generation = 0;
  /** Refused writes of replaced leaders. */
  refused = 0;
  /** Each page's own state, by its name. */
  private readonly pages = new Map<string, Partial<RootState>>();
  private held: PendingCall[] = [];
  private loads = 0;
  private readonly time = createVirtualTime();
  private parts: TabsOptions;

  constructor(parts: TabsOptions) {
    this.parts = parts;
  }

  /** Answers everything at once from now on. Failed calls are repeated. */
  async heal(): Promise<void> {
    this.parts = { ...this.parts, loss: 0, slow: 0 };
    while (this.answerNext()) await this.pass(0);
    for (const { world } of this.open) {
      world.input("ui", connectionInputs.wentOffline());
      world.input("ui", connectionInputs.cameOnline());
    }
  }

  /** Opens a page, or reloads it under its name. */
  async come(name: string): Promise<void> {
    if (this.open.some((tab) => tab.name === name)) return;
    const tab = new Tab(name);
    this.open.push(tab);
    this.loads += 1;
    const page = `${name}${this.loads}`;
    tab.wire.postMessage = (message) => {
      if (tab.isClosed) return;
      for (const other of this.open) if (other !== tab) other.inbox.push(structuredClone(message));
    };
    tab.leadership = createLeadership({
      wire: tab.wire,
      locks: this.locks.managerOf(tab),
      page,
      state: () => tab.world?.state() ?? null,
      input: (origin, action) => tab.world?.input(origin, action),
      isAlone: async () => this.open.every((other) => other === tab),
      raise: () => this.stores(tab, () => ++this.generation),
      stored: () => this.stores(tab, () => structuredClone(this.stored)),
      write: () => this.stores(tab, () => this.store(tab)),
      isIdle: () => true,
      isVisible: () => tab.isVisible,
      after: (ms, run) => this.after(tab, ms, run),
      now: () => this.time.now(),
      // A replaced leader learns that its write was refused.
      report: (error) => {
        if (!String(error).includes(REPLACED)) this.channel.faults.push(String(error));
      },
    });
    const noting = createNotingReducer(program);
    let found: Awaited<ReturnType<Leadership["open"]>> | null = null;
    tab.leadership.open().then((opening) => {
      found = opening;
    });
    // It waits for the leader's snapshot, or replaces a silent one.
    for (let waited = 0; found === null && waited < 200; waited += 1) {
      for (const other of [...this.open]) await this.deliver(other);
      await this.pass(50);
    }
    if (found === null) throw new Error(`${name} was not opened`);
    const { leads, generation, snapshot } = found as Awaited<ReturnType<Leadership["open"]>>;
    const { seq } = tab.leadership.position();
    const slices = (snapshot ?? this.stored)?.slices;
    const world = await openWorld(this.script(tab), this.parts.random, this.loads * 10_000, {
      tab: { id: page, leads, generation, seq },
      ...(slices && { snapshot: { ...this.pages.get(name), ...(slices as Partial<RootState>) } }),
      elapsed: this.time.now(),
      reducer: noting.reducer,
    });
    tab.world = world;
    const turned = (): void => tab.leadership.turned(noting.take());
    world.store().subscribe(turned);
    tab.leadership.begin();
    // Actions received while it opened.
    turned();
    await this.pass(0);
  }

  /** Closes the page at once. */
  async go(tab: Tab): Promise<void> {
    tab.isClosed = true;
    this.pages.set(tab.name, pick(tab.world.state(), tabScoped as readonly (keyof RootState)[]));
    this.open.splice(this.open.indexOf(tab), 1);
    this.held = this.held.filter((held) => held.tab !== tab);
    this.outboxWires.delete(tab);
    this.locks.gone(tab);
    await this.pass(0);
  }

  /** Freezes the page without notice, like a stopped main thread. */
  freeze(tab: Tab): void {
    tab.isFrozen = true;
  }

  /** Continues as if nothing had happened. */
  async thaw(tab: Tab): Promise<void> {
    tab.isFrozen = false;
    for (const run of tab.late.splice(0)) run();
    await this.pass(0);
  }

  /** The page enters the back-forward cache and returns. */
  async hideAway(tab: Tab): Promise<void> {
    tab.leadership.hide();
    tab.inbox.length = 0;
    await this.pass(0);
  }

  async showAgain(tab: Tab): Promise<void> {
    tab.leadership.show();
    await this.pass(0);
  }

  private after(tab: Tab, ms: number, run: () => void): void {
    this.time.at(this.time.now() + ms, () => {
      if (tab.isClosed) return;
      if (tab.isFrozen) tab.late.push(run);
      else run();
    });
  }

  /** A page's read or write of the browser's storage. */
  private async stores<T>(tab: Tab, work: () => T): Promise<T> {
    await Promise.resolve();
    return tab.isClosed ? forEver() : work();
  }

  /** Takes the lock from the leading page. */
  async steal(tab: Tab): Promise<void> {
    this.locks.steal(tab);
    await this.pass(0);
  }

  /** Delivers a tab's messages: all of them, or the first. */
  async deliver(tab: Tab, most = Number.POSITIVE_INFINITY): Promise<void> {
    for (let count = 0; count < most && tab.inbox.length > 0 && !tab.isFrozen; count += 1) {
      tab.wire.onmessage?.({ data: tab.inbox.shift() });
      await this.pass(0);
    }
  }

  /** Answers or drops the oldest call. */
  async answer(how: "go" | "lose"): Promise<void> {
    this.held.shift()?.[how]();
    await this.pass(0);
  }

  async pass(ms: number): Promise<void> {
    const until = this.time.now() + ms;
    for (;;) {
      const now = Math.min(until, this.time.now() + 500);
      const step = now - this.time.now();
      await this.time.pass(now);
      for (const { world, isFrozen } of [...this.open]) if (!isFrozen) await world?.pass(step);
      if (now === until) return;
    }
  }

  /** Completes every message and call, in `rounds` times five seconds. */
  async settle(rounds = 8): Promise<void> {
    for (let round = 0; round < rounds; round += 1) {
      for (const tab of this.open) await this.deliver(tab);
      while (this.answerNext()) await this.pass(0);
      await this.pass(5_000);
    }
  }

  private answerNext(): boolean {
    const next = this.held.shift();
    next?.go();
    return next !== undefined;
  }

  /** A replaced leader writes nothing more. */
  private store(tab: Tab): void {
    if (!tab.leads || tab.world === undefined) return;
    const { generation, seq } = tab.leadership.position();
    if (generation < this.generation) {
      this.refused += 1;
      tab.leadership.yield();
      throw new Error(REPLACED);
    }
    this.stored = { generation, seq, slices: pick(tab.world.state(), viewerScoped) };
  }

  /** A call and its answer, both of which may be slow or lost. A closed page receives nothing more. */
  private async call<T>(tab: Tab, effect: () => T): Promise<T> {
    await this.way(tab);
    const answer = effect();
    await this.way(tab);
    return structuredClone(answer);
  }

  private async way(tab: Tab): Promise<void> {
    const { random, loss, slow } = this.parts;
    if (tab.isClosed) return forEver();
    if (random() < slow) await new Promise<void>((go, fail) => this.held.push({ tab, go, lose: () => fail(lost()) }));
    if (tab.isClosed) return forEver();
    if (random() < loss) throw lost();
  }

  /** A closed tab writes nothing: no write needs refusing. */
  private storeOf(tab: Tab): OutboxStore {
    return memoryStore(this.items, async (work) => (tab.isClosed ? forEver() : work()));
  }

  private wireOf(tab: Tab): OutboxWire {
    const wire: OutboxWire = {
      onmessage: null,
      postMessage: (message) => {
        for (const [other, to] of this.outboxWires)
          if (other !== tab) to.onmessage?.({ data: structuredClone(message) });
      },
    };
    this.outboxWires.set(tab, wire);
    return wire;
  }

  /** A page's ports over the browser's storage and the channel. */
  private script(tab: Tab): Script {
    const rotating = this.locks.of(tab)("rotation");
    const store = this.storeOf(tab);
    const outbox = createOutbox({
      store,
      fenced: store,
      wire: this.wireOf(tab),
      sendsAnalytics: false,
      now: () => BEGAN + this.time.now(),
      channel: {
        send: (request) =>
          this.call(tab, () => {
            const { user } = this;
            if (user === null || (request.asUser !== undefined && request.asUser !== user)) throw wrongUser();
            return this.channel.take(user, request);
          }),
        userId: async () => this.user,
        emailOf: () => null,
      },
    });
    /**
     * A call under the browser's key, refused under another user's. A signed-out answer has the same effect as in the
     * real client.
     */
    const underKey = async <T>(effect: (user: Id | null) => T, asUser?: Id): Promise<T> => {
      try {
        return await this.call(tab, () => {
          if (asUser !== undefined && asUser !== this.user) throw wrongUser();
          return effect(this.user);
        });
      } catch (error) {
        const viewer = selectViewer(tab.world.state());
        if (error instanceof PortError && error.status === 401 && viewer !== null)
          tab.world.input("api", authActions.reset({ reason: "unauthenticated", user_id: viewer }));
        throw error;
      }
    };
    return {
      "account.status": () => ({ channel_key: true, api_key: true, user_id: this.user }),
      "api.getBootstrap": () => aBootstrap(),
      "api.getProfile": () => underKey((user) => this.channel.profile(user)),
      "api.listFavourites": () => underKey((user) => this.channel.listed(user)),
      "api.getEvent": () =>
        underKey((user) => {
          const isBought = this.channel.orders.some(({ buyer, status }) => buyer === user && status === "paid");
          return anEvent({ has_access: isBought });
        }),
      "api.login": ({ handle }) =>
        rotating(async () => {
          const id = Number(handle);
          await this.call(tab, () => undefined);
          this.user = id;
          return this.channel.profile(id);
        }),
      "api.logout": ({ user_id }) =>
        rotating(async () => {
          if (user_id !== undefined && this.user !== null && this.user !== user_id) return null;
          await this.call(tab, () => undefined).catch(() => undefined);
          this.user = null;
          return null;
        }),
      "api.buy": ({ user_id, ...args }) => underKey((user) => this.channel.buy(user, args), user_id),
      "api.startTrial": ({ user_id, ...args }) => underKey((user) => this.channel.buy(user, args), user_id),
      "payments.confirm": ({ order_id }) => this.call(tab, () => this.channel.confirm(order_id)),
      "api.getOrder": ({ id, user_id }) => underKey((user) => this.channel.order(user, id), user_id),
      "outbox.put": async ({ item }) => {
        await outbox.put(item);
        if (item.kind === "favourite.add") this.put.set(item.id, item.user_id);
        return null;
      },
      "outbox.drain": async () => {
        const report = await outbox.drain();
        if (!tab.leads) return report;
        await collectOutboxResults({
          outbox,
          input: (origin, action) => tab.world.input(origin, action),
          flush: () => this.stores(tab, () => this.store(tab)),
        });
        return report;
      },
      "outbox.drainAnalytics": ({ session }: { session: AnalyticsIdentity | null }) => outbox.drainAnalytics(session),
      "storage.flush": async () => {
        await this.stores(tab, () => this.store(tab));
        return null;
      },
    };
  }
}
