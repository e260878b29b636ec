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
import { browserScoped, type RootState, tabScoped } from "../../slices";
import { authActions } from "../../slices/auth";
import { connectionInputs } from "../../slices/connection";
import { outboxInputs } from "../../slices/outbox";
import { factsHeard, tabActions } from "../../slices/tabs";
import { type Bus, createBus, type Nudge, type Wire } from "../bus";
import { collectOutboxResults } from "../outboxResults";
import { createNotingReducer } from "../replication";
import { ScriptedChannel } from "./channel";
import { Locks } from "./locks";

/** A page of the browser. What is posted to it waits in `inbox` until it is delivered. */
export class Tab {
  readonly inbox: unknown[] = [];
  readonly wire: Wire = { onmessage: null, postMessage: () => undefined };
  world!: TestWorld;
  bus!: Bus;
  isGone = false;

  constructor(
    readonly name: string,
    public isHolder: boolean,
  ) {}
}

/** A call that is on its way, or whose answer is. */
interface Held {
  readonly tab: Tab;
  go(): void;
  lose(): void;
}

const forEver = (): Promise<never> => new Promise(() => undefined);
const lost = (): PortError => new PortError({ code: "network", message: "The network is away", retryable: true });

export interface TabsParts {
  random(): number;
  /** The share of calls that get no answer. */
  readonly loss: number;
  /** The share of calls that take their time. */
  readonly slow: number;
}

const pick = (state: RootState, names: readonly (keyof RootState)[]): Partial<RootState> =>
  JSON.parse(JSON.stringify(Object.fromEntries(names.map((name) => [name, state[name]]))));

/**
 * The tabs of one browser over one channel: the product's sagas, reducer, bus and outbox, with every message and every
 * answer under the test's hand. A tab that is gone leaves its locks, what it posted, and what it had stored.
 */
export class Tabs {
  readonly channel = new ScriptedChannel();
  readonly open: Tab[] = [];
  /** Whose key the browser holds. */
  user: Id | null = null;
  /** The hearts that the outbox took for stored, with whose they are. */
  readonly put = new Map<string, Id | undefined>();
  private readonly locks = new Locks();
  private readonly items = new Map<string, unknown>();
  private readonly outboxWires = new Map<Tab, OutboxWire>();
  /** What the holder wrote last. */
  private stored: Partial<RootState> | undefined;
  /** What belongs to each page, by its name. */
  private readonly pages = new Map<string, Partial<RootState>>();
  private held: Held[] = [];
  private loads = 0;
  private readonly time = createVirtualTime();
  private parts: TabsParts;

  constructor(parts: TabsParts) {
    this.parts = parts;
  }

  /** From now on everything is answered at once. What failed is asked for again. */
  async heal(): Promise<void> {
    this.parts = { ...this.parts, loss: 0, slow: 0 };
    while (this.answerNext()) await this.pass(0);
    for (const { world } of this.open) {
      world.input("ui", connectionInputs.wentOffline());
      world.input("ui", connectionInputs.cameOnline());
    }
  }

  /** A page is opened, or loaded again under its name. */
  async come(name: string): Promise<void> {
    if (this.open.some((tab) => tab.name === name)) return;
    const holder = this.open.find(({ isHolder }) => isHolder);
    // It asks the holder to store what it knows before it reads that.
    if (holder) {
      await this.deliver(holder);
      this.store(holder);
    }
    const tab = new Tab(name, holder === undefined);
    const others = this.open.map((other) => other.name);
    this.open.push(tab);
    const noting = createNotingReducer(program);
    tab.wire.postMessage = (message) => {
      if (tab.isGone) return;
      for (const other of this.open) if (other !== tab) other.inbox.push(structuredClone(message));
    };
    tab.bus = createBus({
      wire: tab.wire,
      tab: name,
      heard: ({ facts, tab: teller = "" }) => {
        const { others: known } = tab.world.state().tabs;
        if (!known.includes(teller))
          tab.world.input("storage", tabActions.othersChanged({ others: [...known, teller].sort() }));
        tab.world.input("storage", factsHeard({ facts: [...facts] }));
      },
      nudged: (of) => this.nudge(tab, of),
      isHolder: () => tab.isHolder,
      store: async () => this.store(tab),
      after: (ms, run) => void this.time.at(this.time.now() + ms, run),
    });
    const { random } = this.parts;
    tab.world = await openWorld(this.script(tab), random, ++this.loads * 10_000, {
      tab: { id: name, holder: tab.isHolder, others },
      ...(this.stored && { snapshot: { ...this.pages.get(name), ...this.stored } }),
      elapsed: this.time.now(),
      reducer: noting.reducer,
    });
    const tell = (): void => {
      const facts = noting.take();
      if (facts.length === 0) return;
      tab.bus.tell({ facts, position: { log: name, seq: 0 }, tab: name });
    };
    tab.world.store().subscribe(tell);
    // What was told while it opened.
    tell();
    await this.pass(0);
  }

  /** The page is gone, at once. */
  async go(tab: Tab): Promise<void> {
    tab.isGone = true;
    this.pages.set(tab.name, pick(tab.world.state(), tabScoped));
    this.open.splice(this.open.indexOf(tab), 1);
    this.held = this.held.filter((held) => held.tab !== tab);
    this.outboxWires.delete(tab);
    this.locks.gone(tab);
    const [next] = this.open;
    if (tab.isHolder && next) {
      next.isHolder = true;
      next.world.input("storage", tabActions.holderChanged({ holder: true }));
      this.nudge(next, "seen");
      this.nudge(next, "analytics");
      this.store(next);
    }
    await this.pass(0);
  }

  /** The tabs look which others are there. */
  async look(): Promise<void> {
    for (const { name, world } of this.open) {
      const others = this.open.map((tab) => tab.name).filter((other) => other !== name);
      if (others.join() !== world.state().tabs.others.join())
        world.input("storage", tabActions.othersChanged({ others }));
    }
    await this.pass(0);
  }

  /** What was posted to it reaches a tab: all of it, or the first. */
  async deliver(tab: Tab, most = Number.POSITIVE_INFINITY): Promise<void> {
    for (let count = 0; count < most && tab.inbox.length > 0; count += 1) {
      tab.wire.onmessage?.({ data: tab.inbox.shift() });
      await this.pass(0);
    }
  }

  /** The call that waits longest is answered, or lost. */
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
      for (const { world } of [...this.open]) await world.pass(step);
      if (now === until) return;
    }
  }

  /** Everything that is told and asked reaches its end, in so many times five seconds. */
  async settle(rounds = 8): Promise<void> {
    for (let round = 0; round < rounds; round += 1) {
      await this.look();
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

  private nudge({ world }: Tab, of: Nudge): void {
    world.input("storage", of === "analytics" ? outboxInputs.analyticsNudged() : outboxInputs.nudged());
  }

  private store({ world, isHolder }: Tab): void {
    if (isHolder) this.stored = pick(world.state(), browserScoped);
  }

  /** A call's way there and back, both of which may take their time or be lost. A page that is gone hears nothing more. */
  private async call<T>(tab: Tab, effect: () => T): Promise<T> {
    await this.way(tab);
    const answer = effect();
    await this.way(tab);
    return structuredClone(answer);
  }

  private async way(tab: Tab): Promise<void> {
    const { random, loss, slow } = this.parts;
    if (tab.isGone) return forEver();
    if (random() < slow) await new Promise<void>((go, fail) => this.held.push({ tab, go, lose: () => fail(lost()) }));
    if (tab.isGone) return forEver();
    if (random() < loss) throw lost();
  }

  /** A tab that is gone writes nothing: nobody has to refuse it. */
  private storeOf(tab: Tab): OutboxStore {
    return memoryStore(this.items, async (work) => (tab.isGone ? forEver() : work()));
  }

  private wireOf(tab: Tab): OutboxWire {
    const wire: OutboxWire = {
      onmessage: null,
      postMessage: (news) => {
        for (const [other, to] of this.outboxWires) if (other !== tab) to.onmessage?.({ data: structuredClone(news) });
      },
    };
    this.outboxWires.set(tab, wire);
    return wire;
  }

  /** The ports of a page, over the browser's storage and the channel. */
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
     * A call under the browser's key, and of somebody's not under another's: whoever is told that nobody is logged in is
     * told so as the client does.
     */
    const asked = async <T>(effect: (user: Id | null) => T, asUser?: Id): Promise<T> => {
      try {
        return await this.call(tab, () => {
          if (asUser !== undefined && asUser !== this.user) throw wrongUser();
          return effect(this.user);
        });
      } catch (error) {
        if (error instanceof PortError && error.status === 401 && "userId" in tab.world.state().auth)
          tab.world.input("api", authActions.reset({ reason: "unauthenticated" }));
        throw error;
      }
    };
    return {
      "account.status": () => ({ channel_key: true, api_key: true, user_id: this.user }),
      "api.getBootstrap": () => aBootstrap(),
      "api.getProfile": () => asked((user) => this.channel.profile(user)),
      "api.listFavourites": () => asked((user) => this.channel.listed(user)),
      "api.getEvent": () =>
        asked((user) => {
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
      "api.buy": ({ user_id, ...args }) => asked((user) => this.channel.buy(user, args), user_id),
      "api.getOrder": ({ id, user_id }) => asked((user) => this.channel.order(user, id), user_id),
      "outbox.put": async ({ item }) => {
        await outbox.put(item);
        if (item.kind === "favourite.add") this.put.set(item.id, item.user_id);
        if (!tab.isHolder) tab.bus.nudge(item.kind === "analytics" ? "analytics" : "seen");
        return null;
      },
      "outbox.drain": async () => {
        const report = await outbox.drain();
        await collectOutboxResults({
          outbox,
          input: (origin, action) => tab.world.input(origin, action),
          flush: tab.bus.stored,
        });
        return report;
      },
      "outbox.drainAnalytics": ({ session }: { session: AnalyticsIdentity | null }) => outbox.drainAnalytics(session),
      "storage.flush": async () => {
        await tab.bus.stored();
        return null;
      },
    };
  }
}
