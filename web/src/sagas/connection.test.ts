import { describe, expect, it } from "vitest";
import type { Welcome } from "../contracts/sync";
import { connectionInputs } from "../slices/connection";
import { loginActions } from "../slices/login";
import { anEvent, anOrder, aProfile } from "./testing/resources";
import { away, openViewerWorld, openWorld, type Script, silence, type TestWorld, viewer } from "./testing/world";

const PING = 20_000;
const HOUR = 3_600_000;
const welcome = (): Welcome => ({ epoch: "e1", user_seq: 3, channel_seq: 8, mode: "resumed", ping_ms: PING });
const live: Script = { "sync.connect": welcome };

const connects = (world: { calls(method: "sync.connect"): object[] }) => world.calls("sync.connect").length;

async function reconnecting(world: TestWorld): Promise<void> {
  world.script["sync.connect"] = silence;
  world.input("sync", connectionInputs.closed({ code: 1006 }));
  world.input("ui", connectionInputs.cameBack());
  await world.pass();
}

describe("the connection", () => {
  it("waits for a key, and then sends its position", async () => {
    const world = await openWorld({ ...live, "api.getApiKey": silence });
    expect(connects(world)).toBe(0);
    const ready = await openViewerWorld(live);
    expect(ready.calls("sync.connect")).toEqual([{ resume: null }]);
    expect(ready.state().connection).toMatchObject({
      at: "live",
      resume: { epoch: "e1", user_seq: 3, channel_seq: 8 },
    });
    ready.input(
      "sync",
      connectionInputs.statusReceived({
        stream: "channel",
        seq: 9,
        kind: "event",
        id: 1,
        version: 1,
        state: anEvent(),
      }),
    );
    ready.input("sync", connectionInputs.closed({ code: 1006 }));
    ready.input("ui", connectionInputs.cameBack());
    await ready.pass();
    expect(ready.calls("sync.connect").at(-1)).toEqual({ resume: { epoch: "e1", user_seq: 3, channel_seq: 9 } });
    ready.expectReplays();
  });

  it("folds a snapshot before its position counts", async () => {
    const world = await openViewerWorld({
      "sync.connect": () => ({
        epoch: "e1",
        user_seq: 3,
        channel_seq: 8,
        mode: "snapshot",
        ping_ms: PING,
        snapshot: [{ stream: "user", kind: "order", id: 55, version: 1, state: anOrder() }],
      }),
    });
    expect(world.state().orders.byId[55]).toEqual(anOrder());
    const types = world.actions("connection/").map(({ type }) => type);
    expect(types.indexOf("connection/snapshotReceived")).toBeLessThan(types.indexOf("connection/welcomed"));
    world.expectReplays();
  });

  it("backs off with full jitter, increasingly, and retries at once when the page returns", async () => {
    const world = await openWorld({ "sync.connect": away }, () => 0.999);
    const waits: number[] = [];
    for (let failures = 0; failures < 7; failures += 1) {
      const state = world.state().connection;
      if (state.at !== "backoff") throw new Error(`at ${state.at}`);
      waits.push(state.until - world.now());
      await world.pass(state.until - world.now());
    }
    expect(waits).toEqual([999, 1998, 3996, 7992, 15_984, 29_970, 29_970]);
    const before = connects(world);
    world.input("ui", connectionInputs.cameBack());
    await world.pass();
    expect(connects(world)).toBe(before + 1);
    world.expectReplays();
  });

  it("abandons a socket that doesn't open", async () => {
    const world = await openWorld({ "sync.connect": silence });
    await world.pass(9_999);
    expect(world.state().connection.at).toBe("connecting");
    await world.pass(1);
    expect(world.state().connection.at).toBe("backoff");
    world.expectReplays();
  });

  it("is dead after two missed pings, and not before", async () => {
    const world = await openWorld(live, () => 0.5);
    await world.pass(PING);
    world.input("sync", connectionInputs.pinged({ at: world.now() }));
    await world.pass(2 * PING - 1);
    expect(world.state().connection.at).toBe("live");
    await world.pass(1);
    expect(world.state().connection.at).toBe("backoff");
    expect(world.calls("sync.close")).toHaveLength(1);
    world.expectReplays();
  });

  it.each([0, 1, 4])(
    "is dead two missed pings after its wait even if the clock was set back %i pings before",
    async (pings) => {
      const world = await openWorld(live, () => 0.5);
      await world.pass(PING);
      world.input("sync", connectionInputs.pinged({ at: world.now() }));
      world.setClock(-5 * HOUR);
      for (let count = 0; count < pings; count += 1) {
        await world.pass(PING);
        world.input("sync", connectionInputs.pinged({ at: world.now() }));
      }
      await world.pass(2 * PING - 1);
      expect(world.state().connection.at).toBe("live");
      // The wait that was running when the clock was set ends first.
      await world.pass(2 * PING);
      expect(world.actions("connection/lost")).toHaveLength(1);
      world.expectReplays();
    },
  );

  it("reconnects within the window of a drain", async () => {
    const world = await openWorld(live, () => 0.5);
    world.input("sync", connectionInputs.drainAsked({ window_ms: 8_000 }));
    await world.pass(3_999);
    expect(world.state().connection.at).toBe("draining");
    await world.pass(1);
    expect(world.state().connection.at).toBe("live");
    expect(connects(world)).toBe(2);
    world.expectReplays();
  });

  it("rests without a network, and connects at once with one", async () => {
    const world = await openWorld(live);
    world.input("ui", connectionInputs.wentOffline());
    await world.pass(120_000);
    expect(world.state().connection.at).toBe("offline");
    expect(connects(world)).toBe(1);
    world.input("ui", connectionInputs.cameOnline());
    await world.pass();
    expect(world.state().connection.at).toBe("live");
    world.expectReplays();
  });

  const states: [at: string, lead: (world: TestWorld) => Promise<void> | void][] = [
    ["connecting", reconnecting],
    ["live", () => undefined],
    ["backoff", (world) => world.input("sync", connectionInputs.closed({ code: 1006 }))],
    ["draining", (world) => world.input("sync", connectionInputs.drainAsked({ window_ms: 8_000 }))],
  ];

  it.each(states)("of a closed page is dropped: %s", async (at, lead) => {
    const world = await openWorld(live);
    await lead(world);
    expect(world.state().connection.at).toBe(at);
    world.script["sync.connect"] = silence;
    await world.reload();
    expect(world.state().connection).toMatchObject({ at: "connecting", attempt: 0, resume: { epoch: "e1" } });
    world.expectReplays();
  });

  it.each(states)("is abandoned at once by a page without a key: %s", async (_, lead) => {
    const world = await openWorld(live);
    await lead(world);
    world.script["account.status"] = silence;
    await world.reload((state) => ({ ...state, startup: { at: "idle" } }));
    expect(world.state().connection).toMatchObject({ at: "offline", resume: { epoch: "e1" } });
  });

  it.each(states)("rests at once when the network goes: %s", async (_, lead) => {
    const world = await openWorld(live);
    await lead(world);
    world.input("ui", connectionInputs.wentOffline());
    await world.pass(60_000);
    expect(world.state().connection.at).toBe("offline");
    world.script["sync.connect"] = welcome;
    world.input("ui", connectionInputs.cameOnline());
    await world.pass();
    expect(world.state().connection.at).toBe("live");
    world.expectReplays();
  });

  it.each([...states, ["offline", (world: TestWorld) => world.input("ui", connectionInputs.wentOffline())] as const])(
    "drops the position when somebody logs in meanwhile: %s",
    async (at, lead) => {
      const world = await openWorld({ ...live, "api.login": () => aProfile() });
      await lead(world);
      expect(world.state().connection.at).toBe(at);
      Object.assign(world.script, viewer());
      world.ui(loginActions.submitted({ way: "login", handle: "h1" }));
      await world.pass();
      world.script["sync.connect"] = welcome;
      world.input("ui", connectionInputs.cameOnline());
      await world.pass(20_000);
      expect(world.calls("sync.connect").at(-1)).toEqual({ resume: null });
      world.expectReplays();
    },
  );

  it("still processes messages while it drains", async () => {
    const world = await openWorld(live);
    world.input("sync", connectionInputs.drainAsked({ window_ms: 8_000 }));
    const state = anEvent();
    const frame = { stream: "channel", seq: 12, kind: "event", id: 1, version: 1, state } as const;
    world.input("sync", connectionInputs.statusReceived(frame));
    await world.pass(8_000);
    expect(world.calls("sync.connect").at(-1)).toMatchObject({ resume: { channel_seq: 12 } });
    world.expectReplays();
  });

  it("doesn't use one viewer's position for another's stream", async () => {
    const world = await openWorld({ ...live, "api.login": () => aProfile() });
    world.ui(loginActions.submitted({ way: "login", handle: "h1" }));
    await world.pass();
    expect(world.calls("sync.close")).toHaveLength(1);
    expect(world.calls("sync.connect").at(-1)).toEqual({ resume: null });
    expect(world.state().connection.at).toBe("live");
    world.expectReplays();
  });
});
