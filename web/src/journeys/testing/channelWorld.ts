import { vi } from "vitest";
import { createApi, withoutPersonal } from "../../api";
import { memory } from "../../api/testing/channel";
import { createVirtualTime } from "../../eventlog/testing/virtual-time";
import { channelOf, createOutbox } from "../../outbox";
import { memoryStore } from "../../outbox/testing/memory";
import { methods } from "../../ports/world";
import { BEGAN, openWorld, type Script, type TestWorld } from "../../sagas/testing/world";
import { channelEventsOf } from "../../session/channelEvents";
import { collectOutboxResults } from "../../session/outboxResults";
import { openSync } from "../../session/outboxSender";
import { createPorts } from "../../session/ports";
import type { FakeChannel } from "./channel";
import type { Person } from "./channel/people";
import { socketOf } from "./channel/sockets";

/** The sagas without screens, over a page's real client, outbox and socket, and a fake channel behind them. */
export interface ChannelWorld {
  readonly world: TestWorld;
  /** Stores a form's values; the handle names them. */
  hold(values: object): string;
  /** The outbox's unsent items. */
  waiting(): string[];
}

/** Runs the timers of page and channel on the world's time. Undone by `vi.unstubAllGlobals`. */
function createSharedTime() {
  const time = createVirtualTime();
  vi.stubGlobal("setTimeout", (run: () => void, ms = 0) => time.at(time.now() + ms, run));
  vi.stubGlobal("clearTimeout", (undo: (() => void) | undefined) => undo?.());
  return time;
}

/** Opens the world of the user of the browser's key. `createChannel` is called under the world's time. */
export async function openChannelWorld(
  createChannel: () => FakeChannel,
  personOf: (channel: FakeChannel) => Person,
  draw: () => number,
): Promise<ChannelWorld & { channel: FakeChannel }> {
  const time = createSharedTime();
  const channel = createChannel();
  const person = personOf(channel);
  vi.stubGlobal("WebSocket", socketOf(channel));
  vi.stubGlobal("window", { location: { protocol: "https:", host: "northfield.test" } });
  let world: TestWorld | null = null;
  const input: TestWorld["input"] = (origin, action) => world?.input(origin, action);
  const channelEvents = channelEventsOf(input, () => world?.state());
  const database = memory();
  await database.setItem("keys", {
    channel_key: "northfield",
    api_key: channel.state.people.issueKey(person),
    user_id: person.id,
  });
  let handles = 0;
  const api = createApi({
    fetch: channel.fetch,
    database,
    locks: undefined,
    hostname: "northfield.test",
    now: () => BEGAN + time.now(),
    isOnline: () => channel.reachable,
    newHandle: () => `handle-${++handles}`,
    analyticsIdentity: async () => null,
    personStored: () => undefined,
    news: { ...channelEvents, crashed: () => undefined },
  });
  const items = new Map<string, unknown>();
  const store = memoryStore(items);
  const outbox = createOutbox({
    store,
    fenced: store,
    channel: channelOf(api, withoutPersonal),
    sendsAnalytics: true,
    wire: { onmessage: null, postMessage: () => undefined },
    now: () => BEGAN + time.now(),
  });
  const sync = openSync(
    { api, database: null as never, wire: null as never, sendsAnalyticsFromLocalhost: true },
    channelEvents,
  );
  const ports = createPorts({
    api,
    outbox,
    sync,
    collect: () => collectOutboxResults({ outbox, input, flush: async () => undefined }),
    flush: async () => undefined,
    openTagManager: () => undefined,
    tag: () => undefined,
    reload: () => undefined,
    openUrl: () => undefined,
  });
  const script = Object.fromEntries(
    Object.keys(methods).map((method) => [
      method,
      (args: object, signal: AbortSignal) => ports.call(method, args, signal),
    ]),
  ) as Script;
  world = await openWorld(script, draw, 0, { time });
  return {
    world,
    channel,
    hold: api.account.hold,
    waiting: () => [...items.keys()].filter((key) => /^(waiting|analytics)\//.test(key)),
  };
}
