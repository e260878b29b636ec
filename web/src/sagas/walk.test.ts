import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom } from "../eventlog/testing/virtual-time";
import { authActions } from "../slices/auth";
import { clipActions, DRAFT } from "../slices/clip";
import { connectionInputs } from "../slices/connection";
import { favouritesActions } from "../slices/favourites";
import { loginActions } from "../slices/login";
import { type PrerollShowing, prerollActions, showingKey } from "../slices/preroll";
import { purchaseActions } from "../slices/purchase";
import { queryActions } from "../slices/queries";
import { startupActions } from "../slices/startup";
import { unsoundSlices } from "../slices/stored";
import { lead, resign } from "./testing/tabs";
import { ScriptedWorker } from "./testing/worker";
import { openWorld, type TestWorld } from "./testing/world";

const HOUR = 3_600_000;

const choice = { kind: "event", id: 100, single_event_package_id: 500, payment_method_id: "pm" } as const;
const FRAME_MS = 50;
const request = { event_id: 100, name: "n", start_time: 0, duration: 1, tags: ["t"], event_media_id: 900 };
const target = { event_id: 100, event_category_id: 11, location_id: 3, media: "live" } as const;

/** What may happen in a visit, besides time. */
const happenings: Readonly<Record<string, (world: TestWorld, worker: ScriptedWorker) => unknown>> = {
  buy: (world) => world.ui(purchaseActions.submitPressed({ choice })),
  retry: (world) => world.ui(purchaseActions.retryPressed()),
  closePopup: (world) => world.ui(purchaseActions.popupClosed()),
  open: (world) => world.ui(purchaseActions.opened()),
  paid: (_, worker) => worker.decide("paid"),
  failed: (_, worker) => worker.decide("failed"),
  offline: (world, worker) => {
    worker.reachable = false;
    worker.connected = false;
    world.input("ui", connectionInputs.wentOffline());
  },
  online: (world, worker) => {
    worker.reachable = true;
    world.input("ui", connectionInputs.cameOnline());
  },
  drop: (_, worker) => worker.drop(),
  back: (world) => world.input("ui", connectionInputs.cameBack()),
  reload: (world, worker) => {
    worker.connected = false;
    return world.reload();
  },
  login: (world) => world.ui(loginActions.submitted({ way: "login", handle: "h" })),
  logout: (world) => world.ui(authActions.logoutPressed()),
  favourite: (world) => world.ui(favouritesActions.toggled({ favoritable_id: 21, favoritable_type: "participant" })),
  clip: (world) => world.ui(clipActions.submitPressed({ key: DRAFT, request, media_duration: null })),
  finishClips: (_, worker) => worker.finishClips(),
  repeatPast: (_, worker) => worker.repeatPast(),
  preroll: (world) => world.ui(prerollActions.wanted(target)),
  frame: (world) => world.ui(prerollActions.firstFrameShown()),
  prerollEnd: (world) => world.ui(prerollActions.ended({ how: "played" })),
  async watchSpotTwice(world) {
    for (let showing = 1; showing <= 2; showing += 1)
      for (const action of [
        prerollActions.wanted(target),
        prerollActions.firstFrameShown(),
        prerollActions.ended({ how: "played" }),
      ]) {
        world.ui(action);
        await world.pass(FRAME_MS);
      }
  },
  resign: (world) => resign(world),
  lead: (world) => takeLead(world),
  pass: () => undefined,
};

const anyStep = fc.record({
  what: fc.constantFrom(...Object.keys(happenings)),
  ms: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(0, 50) },
    { weight: 1, arbitrary: fc.constantFrom(1, 700, 2_000, 9_000, 61_000) },
  ),
});

function takeLead(world: TestWorld): void {
  if (!world.state().tabs.leads) lead(world);
}

/** What must hold after every step. */
function createWatch(world: TestWorld, worker: ScriptedWorker) {
  const ended = new Set<number>();
  let polls = 0;
  let frames = 0;
  let wasLive = false;
  return () => {
    const state = world.state();
    for (const order of Object.values(state.orders.byId)) {
      if (ended.has(order.id)) expect(order.status, "an order never goes back").not.toBe("created");
      if (order.status !== "created") ended.add(order.id);
    }
    // Poll and stream never both drive: while the stream was live at both ends of a step, nothing was polled for.
    const isLive = state.connection.at === "live";
    const polled = world.calls("api.getOrder").length;
    if (
      isLive &&
      wasLive &&
      !world
        .actions("connection/")
        .slice(frames)
        .some(({ type }) => /lost|left|wentOffline|drain|Dropped/.test(type))
    )
      expect(polled, "nothing is polled for while the stream is live").toBe(polls);
    polls = polled;
    wasLive = isLive;
    frames = world.actions("connection/").length;
    const shown = new Map<string, number>();
    for (const { payload } of world.actions("prerollRecords/recorded")) {
      const { at, ...showing } = payload as PrerollShowing & { at: number };
      const before = shown.get(showingKey(showing)) ?? Number.NEGATIVE_INFINITY;
      // What a page recorded as it followed it puts again as it leads.
      if (at === before) continue;
      expect(at - before, "a preroll plays once an hour").toBeGreaterThanOrEqual(HOUR);
      shown.set(showingKey(showing), at);
    }
    expect(worker.faults).toEqual([]);
    expect(unsoundSlices(state), "a page can start from what is stored").toEqual([]);
    const asked = world.actions("purchase/submitted").length;
    expect(worker.charges.size, "one charge a purchase").toBeLessThanOrEqual(asked);
    for (const times of worker.applied.values()) expect(times, "what waits is applied once").toBe(1);
  };
}

/** Everything is answered from now on: whatever was under way has to come to its end. */
async function settle(world: TestWorld, worker: ScriptedWorker): Promise<void> {
  worker.heal();
  takeLead(world);
  world.input("ui", connectionInputs.wentOffline());
  world.input("ui", connectionInputs.cameOnline());
  await world.pass(60_000);
  world.ui(startupActions.reloadPressed());
  world.ui(purchaseActions.retryPressed());
  await world.pass(30_000);
  worker.decide("paid");
  worker.finishClips();
  await world.pass(10 * 60_000);
}

const RUNS = Number(process.env.WALKS ?? 60);

describe("a visit, whatever happens in it", () => {
  it(
    "holds what must hold, comes to its ends, and replays",
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.record({
            seed: fc.nat(),
            loss: fc.constantFrom(0, 0.2, 0.5),
            steps: fc.array(anyStep, { maxLength: 30 }),
          }),
          async ({ seed, loss, steps }) => {
            const random = createRandom(seed);
            const worker = new ScriptedWorker({ random, loss });
            const world = await openWorld(worker.script(), random);
            worker.world = world;
            world.ui(queryActions.wanted({ method: "api.getEvent", args: { id: 100 } }));
            await world.pass(100);
            const watch = createWatch(world, worker);
            for (const { what, ms } of steps) {
              await happenings[what]?.(world, worker);
              await world.pass(ms);
              watch();
            }
            await settle(world, worker);
            watch();
            worker.repeatPast();
            await world.pass();
            watch();
            const { purchase, startup, auth, connection, outbox, analyticsOutbox, preroll, clip } = world.state();
            expect(["preparing", "rejected", "succeeded", "failed"]).toContain(purchase.at);
            expect(startup).toEqual({ at: "ready", stale: false, refreshing: false });
            expect(["anonymous", "authenticated"]).toContain(auth.at);
            expect(connection.at).toBe("live");
            expect([outbox.run, analyticsOutbox]).toEqual([{ at: "idle" }, { at: "idle" }]);
            expect(worker.stored.size).toBe(0);
            expect(preroll.at).not.toBe("selecting");
            for (const making of Object.values(clip)) expect(["draft", "ready", "failed"]).toContain(making.at);
            world.expectReplays();
          },
        ),
        { numRuns: RUNS, seed: 20_260_901 },
      );
    },
    60_000 + RUNS * 2_000,
  );
});
