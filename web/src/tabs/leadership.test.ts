import { describe, expect, it } from "vitest";
import { createVirtualTime } from "../eventlog/testing/virtual-time";
import { type RootState, rootReducer } from "../slices";
import { authActions } from "../slices/auth";
import { autoRenewActions } from "../slices/autoRenew";
import { clipsActions } from "../slices/clips";
import { favouritesActions } from "../slices/favourites";
import { loginActions } from "../slices/login";
import { queryActions } from "../slices/queries";
import { createLeadership } from "./leadership";
import type { Wire } from "./messages";
import { Locks } from "./testing/locks";
import { type Tab, Tabs } from "./testing/tabs";

/** Two pages of one browser; the first one leads. */
async function twoPages(): Promise<{ tabs: Tabs; leader: Tab; other: Tab }> {
  const tabs = new Tabs({ random: () => 0.9, loss: 0, slow: 0 });
  tabs.user = 7;
  await tabs.come("a");
  await tabs.come("b");
  await tabs.settle(2);
  const [leader, other] = tabs.open as [Tab, Tab];
  expect([leader.leads, other.leads]).toEqual([true, false]);
  return { tabs, leader, other };
}

/** Advances time, delivering every message at once. */
async function passes(tabs: Tabs, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 50) {
    await tabs.pass(50);
    for (const tab of tabs.open) await tabs.deliver(tab);
  }
}

describe("the lead", () => {
  it("is taken from a leader that was silent for a second, and no sooner", async () => {
    const { tabs, leader, other } = await twoPages();
    tabs.freeze(leader);
    other.world.ui(favouritesActions.toggled({ favoritable_id: 21, favoritable_type: "participant" }));
    await passes(tabs, 900);
    expect(other.leads).toBe(false);
    await passes(tabs, 400);
    expect(other.leads).toBe(true);
  });

  it("stays with a leader that answers, however much is pressed beside it", async () => {
    const { tabs, leader, other } = await twoPages();
    for (let press = 0; press < 5; press += 1) {
      other.world.ui(favouritesActions.toggled({ favoritable_id: 21, favoritable_type: "participant" }));
      await passes(tabs, 1_000);
    }
    expect([leader.leads, other.leads]).toEqual([true, false]);
  });

  it("goes to a visible page once the leader was hidden for five seconds", async () => {
    const { tabs, leader, other } = await twoPages();
    leader.isVisible = false;
    await passes(tabs, 4_500);
    expect([leader.leads, other.leads]).toEqual([true, false]);
    await passes(tabs, 7_500);
    expect([leader.leads, other.leads]).toEqual([false, true]);
  });

  it("is given up by a thawed leader before it executes intents received meanwhile", async () => {
    const { tabs, leader, other } = await twoPages();
    tabs.freeze(leader);
    other.world.ui(authActions.logoutPressed());
    await passes(tabs, 2_000);
    expect([other.leads, tabs.user]).toEqual([true, null]);
    other.world.ui(loginActions.submitted({ way: "login", handle: "7" }));
    await passes(tabs, 1_000);
    expect(tabs.user).toBe(7);
    // Queued messages reach the frozen page before it learns about its lock.
    leader.isFrozen = false;
    await passes(tabs, 2_000);
    expect([leader.leads, tabs.user]).toEqual([false, 7]);
  });
});

/** A single page over a wire that collects its messages. The test decides when its store exists. */
async function openAlone(parts: Partial<Parameters<typeof createLeadership>[0]> = {}) {
  const time = createVirtualTime();
  const locks = new Locks();
  const posted: { t: string }[] = [];
  const inputs: string[] = [];
  let state: RootState | null = null;
  const wire: Wire = { onmessage: null, postMessage: (message) => void posted.push(message as { t: string }) };
  const leadership = createLeadership({
    wire,
    locks: locks.managerOf({ isFrozen: false, late: [] }),
    page: "p",
    state: () => state,
    input: (_, action) => void (state !== null && inputs.push(action.type)),
    raise: async () => 1,
    isAlone: async () => false,
    stored: async () => null,
    write: async () => undefined,
    isIdle: () => true,
    isVisible: () => true,
    after: (ms, run) => void time.at(time.now() + ms, run),
    now: () => time.now(),
    report: () => undefined,
    ...parts,
  });
  return {
    ...{ leadership, locks, time, posted, inputs },
    hears: (message: object) => wire.onmessage?.({ data: message }),
    getsStore() {
      state = rootReducer(undefined, { type: "begin" });
      leadership.begin();
    },
  };
}

const snapshot = { t: "snapshot", generation: 1, seq: 0, slices: {} };

describe("a leader that was replaced while frozen", () => {
  it.each([
    ["api.logout", authActions.logoutPressed()],
    ["api.unsubscribe", autoRenewActions.cancelPressed({ key: "3" })],
    ["api.deleteClip", clipsActions.deletePressed({ id: 4 })],
  ] as const)("makes no %s call: it first has to store its next step", async (method, press) => {
    const { tabs, leader, other } = await twoPages();
    tabs.freeze(leader);
    other.world.ui(favouritesActions.toggled({ favoritable_id: 21, favoritable_type: "participant" }));
    await passes(tabs, 1_500);
    expect([leader.leads, other.leads]).toEqual([true, true]);
    leader.isFrozen = false;
    leader.world.ui(press);
    await tabs.pass(50);
    expect(leader.leads).toBe(false);
    expect(leader.world.calls(method)).toEqual([]);
  });
});

it("another page's reads for a viewer who has left are shown to nobody", async () => {
  const { tabs, leader, other } = await twoPages();
  leader.world.ui(favouritesActions.toggled({ favoritable_id: 21, favoritable_type: "participant" }));
  await tabs.settle(2);
  // The other page reads, and the leader learns of it only after somebody logged out there.
  other.world.ui(queryActions.wanted({ method: "api.listFavourites", args: {} }));
  await tabs.pass(0);
  expect(other.world.state().tabs.pending).toHaveLength(1);
  leader.world.ui(authActions.logoutPressed());
  await tabs.settle();
  for (const { world } of tabs.open) {
    expect(world.state().auth).toEqual({ at: "anonymous" });
    expect(world.state().favourites.known).toEqual([]);
  }
});

describe("a page without a store yet", () => {
  it("requests a snapshot once it has one, if the leader sent something meanwhile", async () => {
    const page = await openAlone({});
    const locked = page.locks.of({})("touchline-leader");
    void locked(() => new Promise(() => undefined));
    const opening = page.leadership.open();
    await page.time.pass(10);
    page.hears(snapshot);
    expect((await opening).leads).toBe(false);
    page.hears({ t: "stream", generation: 1, seq: 1, actions: [{ type: "x" }], answers: [] });
    page.posted.length = 0;
    page.getsStore();
    expect(page.posted.map(({ t }) => t)).toEqual(["sync"]);
    page.hears({ ...snapshot, seq: 1 });
    expect(page.inputs).toEqual(["tabs/snapshotReceived"]);
  });

  it("leads once it has one, if the lock became free meanwhile", async () => {
    const page = await openAlone({});
    let letGo: () => void = () => undefined;
    void page.locks.of({})("touchline-leader")(() => new Promise<void>((over) => (letGo = over)));
    const opening = page.leadership.open();
    await page.time.pass(10);
    page.hears(snapshot);
    expect((await opening).leads).toBe(false);
    letGo();
    await page.time.pass(600);
    expect(page.leadership.isLeading()).toBe(false);
    page.getsStore();
    await page.time.pass(700);
    expect(page.leadership.isLeading()).toBe(true);
    expect(page.inputs).toEqual(["tabs/led"]);
  });

  it("answers nobody, although it holds the lock", async () => {
    const page = await openAlone({});
    expect((await page.leadership.open()).leads).toBe(true);
    page.hears({ t: "sync", page: "q" });
    page.hears({ t: "intent", id: "q/1", action: { type: "x" } });
    expect(page.posted).toEqual([]);
  });

  it("leads under a number of its own, even if a full disk returns the last one again", async () => {
    const page = await openAlone({ raise: async () => 0 });
    expect((await page.leadership.open()).generation).toBe(1);
  });
});
