import { describe, expect, it } from "vitest";
import type { OutboxItem } from "../contracts/outbox";
import { PortError } from "../ports/world";
import { connectionInputs } from "../slices/connection";
import { favouritesActions, selectFavourites } from "../slices/favourites";
import { outboxActions, selectWaitingCount } from "../slices/outbox";
import { lead, receive, resign } from "./testing/tabs";
import { away, openViewerWorld, openWorld, silence, type TestWorld } from "./testing/world";

const toggle = (favoritable_type = "participant") =>
  favouritesActions.toggled({ favoritable_id: 21, favoritable_type });
const team = { favoritable_id: 21, favoritable_type: "participant" };

const lastPut = (world: TestWorld): OutboxItem => {
  const put = world.calls("outbox.put").at(-1);
  if (put === undefined) throw new Error("nothing was put");
  return put.item;
};

function answer(world: TestWorld, outcome: object): void {
  const { id, kind, payload } = lastPut(world);
  world.input("storage", outboxActions.itemAnswered({ id, kind, payload, outcome } as never));
}

describe("a favourite", () => {
  it("is displayed at once, stored before it is sent, and confirmed by the worker", async () => {
    const order: string[] = [];
    const world = await openViewerWorld({
      "outbox.put": () => {
        order.push("put");
        return null;
      },
      "outbox.drain": () => {
        order.push("drain");
        return { left: 0, retry_after_ms: null };
      },
    });
    order.length = 0;
    world.ui(toggle());
    expect(selectFavourites(world.state())).toEqual([team]);
    expect(selectWaitingCount(world.state())).toBe(1);
    await world.pass();
    expect(order).toEqual(["put", "drain"]);
    expect(lastPut(world)).toMatchObject({ kind: "favourite.add", user_id: 7, at: world.now(), payload: team });
    answer(world, { outcome: "done", answer: { id: 1, ...team } });
    expect(world.state().favourites.known).toEqual([{ id: 1, ...team }]);
    expect(selectWaitingCount(world.state())).toBe(0);
    world.ui(toggle());
    expect(selectFavourites(world.state())).toEqual([]);
    await world.pass();
    expect(lastPut(world)).toMatchObject({ kind: "favourite.remove", payload: { id: null, ...team } });
    answer(world, { outcome: "done", answer: null });
    expect(world.state().favourites.known).toEqual([]);
    world.expectReplays();
  });

  it("is reverted with a reason when the worker refuses", async () => {
    const world = await openViewerWorld();
    world.ui(toggle());
    await world.pass();
    answer(world, { outcome: "dead", code: "gone", message: "No such team." });
    expect(selectFavourites(world.state())).toEqual([]);
    expect(world.state().toast).toMatchObject([{ text: "No such team.", type: "error" }]);
    world.expectReplays();
  });

  it("that failed is dropped by pages after the one that reported it", async () => {
    const world = await openViewerWorld();
    world.ui(toggle());
    await world.pass();
    answer(world, { outcome: "dead", code: "gone", message: "No such team." });
    world.script["outbox.drain"] = silence;
    world.ui(toggle("category"));
    await world.pass();
    expect(Object.values(world.state().outbox.items)).toMatchObject([
      { state: { at: "dead" } },
      { state: { at: "queued" } },
    ]);
    const puts = world.calls("outbox.put").length;
    await world.reload();
    expect(Object.values(world.state().outbox.items)).toMatchObject([{ state: { at: "queued" } }]);
    expect(world.calls("outbox.put")).toHaveLength(puts + 1);
    world.expectReplays();
  });

  it("is reverted if it can't be stored", async () => {
    const world = await openViewerWorld({ "outbox.put": away });
    world.ui(toggle());
    await world.pass();
    expect(selectFavourites(world.state())).toEqual([]);
    expect(Object.values(world.state().outbox.items)).toMatchObject([{ state: { at: "dead" } }]);
    world.expectReplays();
  });

  it("has two names per type, and no others (FAV-1, FAV-2)", async () => {
    const world = await openViewerWorld();
    world.ui(toggle("participant_group"));
    await world.pass();
    expect(lastPut(world)).toMatchObject({ payload: { favoritable_type: "group" } });
    for (const wrong of ["event", "toString", ""]) {
      world.ui(toggle(wrong));
      expect(world.state().toast.at(-1)?.text).toBe(
        "The favoritable_type field must be equal to one of the allowed values",
      );
    }
    expect(world.calls("outbox.put")).toHaveLength(1);
    world.expectReplays();
  });

  it("needs a logged-in viewer (FAV-2)", async () => {
    const world = await openWorld();
    world.ui(toggle());
    expect(world.state().toast).toMatchObject([{ text: "user must be logged in", type: "error" }]);
    expect(world.calls("outbox.put")).toEqual([]);
  });
});

describe("the outbox", () => {
  it("waits increasingly while items are left, at least as long as the worker requests, and continues online", async () => {
    const world = await openViewerWorld();
    const drains = () => world.calls("outbox.drain").length;
    const before = drains();
    world.script["outbox.drain"] = () => ({ left: 1, retry_after_ms: 10_000 });
    world.ui(toggle());
    await world.pass();
    expect(world.state().outbox.run).toEqual({ at: "waiting", attempt: 1, until: world.now() + 10_000, asked: true });
    await world.pass(9_999);
    expect(drains() - before).toBe(1);
    world.script["outbox.drain"] = () => ({ left: 1, retry_after_ms: null });
    await world.pass(1);
    expect(drains() - before).toBe(2);
    expect(world.state().outbox.run).toMatchObject({ at: "waiting", attempt: 2 });
    world.script["outbox.drain"] = () => ({ left: 0, retry_after_ms: null });
    world.input("ui", connectionInputs.cameOnline());
    await world.pass();
    expect(world.state().outbox.run).toEqual({ at: "idle" });
    world.expectReplays();
  });

  it("leaves the worker alone as long as it requests, up to an hour, whatever happens meanwhile", async () => {
    const world = await openViewerWorld();
    const drains = () => world.calls("outbox.drain").length;
    const before = drains();
    world.script["outbox.drain"] = () => ({ left: 1, retry_after_ms: 30 * 60_000 });
    world.ui(toggle());
    await world.pass();
    expect(drains() - before).toBe(1);
    for (let minute = 1; minute < 30; minute++) {
      await world.pass(60_000);
      world.ui(toggle("category"));
      world.input("ui", connectionInputs.cameOnline());
      world.input("storage", outboxActions.nudged());
    }
    await world.pass(59_999);
    await world.reload();
    expect(drains() - before).toBe(1);
    await world.pass(1);
    expect(drains() - before).toBe(2);
    world.script["outbox.drain"] = () => ({ left: 0, retry_after_ms: null });
    await world.pass(30 * 60_000);
    expect(world.state().outbox.run).toEqual({ at: "idle" });
    world.expectReplays();
  });

  it("observes the requested wait although an item was stored meanwhile", async () => {
    let answerDrain: (report: { left: number; retry_after_ms: number }) => void = () => undefined;
    const world = await openViewerWorld();
    world.script["outbox.drain"] = () => new Promise((resolve) => (answerDrain = resolve));
    world.ui(toggle());
    await world.pass();
    world.ui(toggle("category"));
    await world.pass();
    const before = world.calls("outbox.drain").length;
    answerDrain({ left: 2, retry_after_ms: 60_000 });
    await world.pass(59_999);
    expect(world.calls("outbox.drain").length).toBe(before);
    await world.pass(1);
    expect(world.calls("outbox.drain").length).toBe(before + 1);
    world.expectReplays();
  });

  it("waits no longer than an hour after a clock that jumped back", async () => {
    const world = await openViewerWorld({ "outbox.drain": () => ({ left: 1, retry_after_ms: 60_000 }) });
    const before = world.calls("outbox.drain").length;
    await world.reload((state) => ({
      ...state,
      outbox: { ...state.outbox, run: { at: "waiting", attempt: 1, until: world.now() + 86_400_000, asked: true } },
    }));
    await world.pass(3_600_000 - 1);
    expect(world.calls("outbox.drain").length).toBe(before);
    await world.pass(1);
    expect(world.calls("outbox.drain").length).toBe(before + 1);
  });

  it("waits no longer than the worker requests, however often it failed before", async () => {
    const world = await openViewerWorld({ "outbox.drain": away });
    world.ui(toggle());
    await world.pass(30 * 60_000);
    world.script["outbox.drain"] = () => ({ left: 1, retry_after_ms: 1_000 });
    world.input("ui", connectionInputs.cameOnline());
    await world.pass();
    expect(world.state().outbox.run).toMatchObject({ at: "waiting", until: world.now() + 1_000 });
    world.expectReplays();
  });

  it("tries a new action of the viewer at once while others wait for a retry", async () => {
    const world = await openViewerWorld({ "outbox.drain": () => ({ left: 1, retry_after_ms: null }) });
    const drains = () => world.calls("outbox.drain").length;
    world.ui(toggle());
    await world.pass();
    const before = drains();
    const { run } = world.state().outbox;
    expect(run).toMatchObject({ at: "waiting" });
    world.ui(toggle("category"));
    await world.pass();
    expect(drains() - before).toBe(1);
    // The failed one has to wait longer; no other item does.
    expect(world.state().outbox.run).toMatchObject({ at: "waiting", attempt: run.at === "idle" ? 0 : run.attempt + 1 });
    world.expectReplays();
  });

  it("tries items at once that were stored while a round failed", async () => {
    let fail: (error: Error) => void = () => undefined;
    const world = await openViewerWorld();
    world.script["outbox.drain"] = () => new Promise((_, reject) => (fail = reject));
    world.ui(toggle());
    await world.pass();
    world.ui(toggle("category"));
    await world.pass();
    world.script["outbox.drain"] = () => ({ left: 0, retry_after_ms: null });
    fail(new PortError({ code: "network", message: "", retryable: true }));
    await world.pass();
    expect(world.state().outbox.run).toEqual({ at: "idle" });
    world.expectReplays();
  });

  it("sends items that were stored while it was sending", async () => {
    let drained: (report: { left: number; retry_after_ms: null }) => void = () => undefined;
    const world = await openViewerWorld();
    const before = world.calls("outbox.drain").length;
    world.script["outbox.drain"] = () => new Promise((resolve) => (drained = resolve));
    world.ui(toggle());
    await world.pass();
    world.ui(toggle("category"));
    await world.pass();
    expect(world.calls("outbox.drain").length - before).toBe(1);
    drained({ left: 0, retry_after_ms: null });
    await world.pass();
    expect(world.calls("outbox.drain").length - before).toBe(2);
    world.expectReplays();
  });

  it("is sent by the leader alone", async () => {
    const world = await openViewerWorld();
    resign(world);
    const before = world.calls("outbox.drain").length;
    world.ui(toggle());
    await world.pass(60_000);
    expect(world.calls("outbox.put")).toHaveLength(1);
    expect(world.calls("outbox.drain")).toHaveLength(before);
    lead(world);
    await world.pass();
    expect(world.calls("outbox.drain").length).toBeGreaterThan(before);
    world.expectReplays();
  });

  it("on a reloaded page restarts its round once", async () => {
    const world = await openViewerWorld({ "outbox.drain": silence });
    world.input("storage", outboxActions.nudged());
    expect(world.state().outbox.run).toMatchObject({ at: "draining", again: true });
    world.script["outbox.drain"] = () => ({ left: 0, retry_after_ms: null });
    const before = world.calls("outbox.drain").length;
    await world.reload();
    expect(world.calls("outbox.drain").length - before).toBe(1);
    expect(world.state().outbox.run).toEqual({ at: "idle" });
    world.expectReplays();
  });

  it("sends an offline viewer's actions as soon as there is a network, though others wait for a retry", async () => {
    const world = await openViewerWorld({ "outbox.drain": () => ({ left: 1, retry_after_ms: null }) });
    world.ui(toggle());
    await world.pass();
    world.input("ui", connectionInputs.wentOffline());
    world.ui(toggle("category"));
    await world.pass();
    const before = world.calls("outbox.drain").length;
    world.input("ui", connectionInputs.cameOnline());
    await world.pass();
    expect(world.calls("outbox.drain").length - before).toBe(1);
    world.expectReplays();
  });

  it("stores items of a closed page again under the same id", async () => {
    const world = await openViewerWorld({ "outbox.put": silence });
    world.ui(toggle());
    await world.pass();
    world.script["outbox.put"] = () => null;
    await world.reload();
    const [first, second] = world.calls("outbox.put");
    expect(second).toEqual(first);
    world.expectReplays();
  });

  describe("of another tab that may close before storing its items", () => {
    const item = {
      id: "0190a6e0-0000-7000-8000-000000000001",
      kind: "favourite.add",
      user_id: 7,
      at: 1,
      payload: team,
    };
    const queued = { type: outboxActions.itemQueued.type, payload: item };

    it("is stored and sent by the leader", async () => {
      const world = await openViewerWorld();
      const before = world.calls("outbox.drain").length;
      receive(world, queued);
      await world.pass();
      expect(lastPut(world)).toEqual(item);
      expect(world.calls("outbox.drain").length - before).toBe(1);
      world.expectReplays();
    });

    it("is stored by the follower once it becomes the leader", async () => {
      const world = await openViewerWorld();
      resign(world);
      receive(world, queued);
      await world.pass();
      expect(world.calls("outbox.put")).toEqual([]);
      lead(world);
      await world.pass();
      expect(lastPut(world)).toEqual(item);
      world.expectReplays();
    });

    it("stays displayed if it can't be stored here", async () => {
      const world = await openViewerWorld({ "outbox.put": away });
      receive(world, queued);
      await world.pass();
      expect(selectFavourites(world.state())).toEqual([team]);
      expect(world.state().toast).toEqual([]);
      world.expectReplays();
    });
  });
});
