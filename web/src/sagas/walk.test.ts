import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createRandom } from "../eventlog/testing/virtual-time";
import { FakeChannel } from "../journeys/testing/channel";
import type { Person } from "../journeys/testing/channel/people";
import { type ChannelWorld, openChannelWorld } from "../journeys/testing/channelWorld";
import { authActions } from "../slices/auth";
import { clipActions, DRAFT } from "../slices/clip";
import { connectionInputs } from "../slices/connection";
import { favouritesActions } from "../slices/favourites";
import { loginActions } from "../slices/login";
import { type PrerollShowing, prerollActions, showingKey } from "../slices/preroll";
import { purchaseActions } from "../slices/purchase";
import { queryActions } from "../slices/queries";
import { startupActions } from "../slices/startup";
import { invalidSlices } from "../slices/stored";
import { CHECK_INTERVAL } from "./purchaseSteps";
import { lead, resign } from "./testing/tabs";
import type { TestWorld } from "./testing/world";

const HOUR = 3_600_000;

const choice = { kind: "event", id: 1, single_event_package_id: 1001, payment_method_id: "pm" } as const;
const FRAME_MS = 50;
const request = { event_id: 1, name: "n", start_time: 0, duration: 1, tags: ["t"], event_media_id: 13 };
const target = { event_id: 1, event_category_id: 11, location_id: 1, media: "live" } as const;
const VERA = { email: "vera@viewer.example", password: "correct horse" } as const;

interface Visit extends ChannelWorld {
  readonly channel: FakeChannel;
  readonly vera: Person;
}

/** Possible events of a visit, besides time. */
const happenings: Readonly<Record<string, (world: TestWorld, visit: Visit) => unknown>> = {
  buy: (world) => world.ui(purchaseActions.submitPressed({ choice })),
  retry: (world) => world.ui(purchaseActions.retryPressed()),
  closePopup: (world) => world.ui(purchaseActions.popupClosed()),
  open: (world) => world.ui(purchaseActions.opened()),
  paid: (_, { channel }) => channel.state.orders.decide("paid"),
  failed: (_, { channel }) => channel.state.orders.decide("failed"),
  offline: (world, { channel }) => {
    setReachable(channel, false);
    channel.sockets.drop();
    world.input("ui", connectionInputs.wentOffline());
  },
  online: (world, { channel }) => {
    setReachable(channel, true);
    world.input("ui", connectionInputs.cameOnline());
  },
  drop: (_, { channel }) => channel.sockets.drop(),
  back: (world) => world.input("ui", connectionInputs.cameBack()),
  reload: (world, { channel }) => {
    channel.sockets.drop();
    return world.reload();
  },
  login: (world, { hold }) => world.ui(loginActions.submitted({ way: "login", handle: hold(VERA) })),
  logout: (world) => world.ui(authActions.logoutPressed()),
  favourite: (world) => world.ui(favouritesActions.toggled({ favoritable_id: 101, favoritable_type: "participant" })),
  clip: (world) => world.ui(clipActions.submitPressed({ key: DRAFT, request, media_duration: null })),
  repeatPast: (_, { channel }) => channel.sockets.repeatPushed(),
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

function setReachable(channel: FakeChannel, isReachable: boolean): void {
  channel.reachable = isReachable;
  channel.sockets.reachable = isReachable;
}

/** Invariants that hold after every step. */
function createWatch({ world, channel, vera }: Visit) {
  const ended = new Set<number>();
  let polls = 0;
  let lookedAt = world.now();
  let frames = 0;
  let wasLive = false;
  return () => {
    const state = world.state();
    for (const order of Object.values(state.orders.byId)) {
      if (ended.has(order.id)) expect(order.status, "an order never goes back").not.toBe("created");
      if (order.status !== "created") ended.add(order.id);
    }
    // While the stream was live throughout a step, only the rare checks were made. The clock may have been set back.
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
      expect(polled - polls, "the order is checked rarely while the stream is live").toBeLessThanOrEqual(
        Math.floor(Math.abs(world.now() - lookedAt) / CHECK_INTERVAL) + 1,
      );
    polls = polled;
    lookedAt = world.now();
    wasLive = isLive;
    frames = world.actions("connection/").length;
    const showings = new Map<string, number>();
    for (const { payload } of world.actions("prerollRecords/recorded")) {
      const { at, ...showing } = payload as PrerollShowing & { at: number };
      const before = showings.get(showingKey(showing)) ?? Number.NEGATIVE_INFINITY;
      // A page that becomes the leader puts its follower's records again.
      if (at === before) continue;
      expect(at - before, "a preroll plays once an hour").toBeGreaterThanOrEqual(HOUR);
      showings.set(showingKey(showing), at);
    }
    expect(channel.faults).toEqual([]);
    expect(invalidSlices(state), "a page can start from the stored state").toEqual([]);
    const submitted = world.actions("purchase/submitted").map(({ payload }) => (payload as { key: string }).key);
    for (const { idempotencyKey } of channel.requests("POST /api/stripe/buy"))
      expect(submitted, "a purchase is requested under its own key").toContain(idempotencyKey);
    const charged = channel.state.orders.charges.map(({ order_id }) => order_id);
    expect(channel.state.orders.all.length, "one order per purchase").toBeLessThanOrEqual(submitted.length);
    expect(new Set(charged).size, "one charge per order").toBe(charged.length);
    expect(vera.favourites.length, "no favourite is duplicated").toBeLessThanOrEqual(1);
    expect(vera.clips.length, "one clip per press").toBeLessThanOrEqual(world.actions("clip/submitted").length);
  };
}

/** Answers everything from now on, so that every process must end. */
async function settle({ world, channel }: Visit): Promise<void> {
  channel.heal();
  channel.sockets.reachable = true;
  takeLead(world);
  world.input("ui", connectionInputs.wentOffline());
  world.input("ui", connectionInputs.cameOnline());
  await world.pass(60_000);
  world.ui(startupActions.reloadPressed());
  world.ui(purchaseActions.retryPressed());
  await world.pass(30_000);
  channel.state.orders.decide("paid");
  await world.pass(10 * 60_000);
}

const RUNS = Number(process.env.WALKS ?? 60);

/** A viewer with a card and a confirmed address; payments are decided by the test. */
async function openVisit(random: () => number): Promise<Visit> {
  const people: Person[] = [];
  const card = { id: "pm", brand: "visa", last4: "4242", exp_month: 12, exp_year: 2030 };
  const opened = await openChannelWorld(
    () => new FakeChannel(),
    ({ state }) => {
      state.orders.holdsPayments = true;
      people.push(state.people.add({ ...VERA, email_verified: true, cards: [card] }));
      return people[0] as Person;
    },
    random,
  );
  return { ...opened, vera: people[0] as Person };
}

afterEach(() => void vi.unstubAllGlobals());

describe("a visit, whatever happens in it", () => {
  it(
    "meets its invariants, comes to its ends, and replays",
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
            const visit = await openVisit(random);
            const { world, channel } = visit;
            world.ui(queryActions.wanted({ method: "api.getEvent", args: { id: 1 } }));
            await world.pass(100);
            channel.isLost = () => random() < loss;
            const watch = createWatch(visit);
            for (const { what, ms } of steps) {
              await happenings[what]?.(world, visit);
              await world.pass(ms);
              watch();
            }
            await settle(visit);
            watch();
            channel.sockets.repeatPushed();
            await world.pass();
            watch();
            const { purchase, startup, auth, connection, outbox, analyticsOutbox, preroll, clip } = world.state();
            expect(["preparing", "rejected", "succeeded", "failed"]).toContain(purchase.at);
            expect(startup).toEqual({ at: "ready", stale: false, refreshing: false });
            expect(["anonymous", "authenticated"]).toContain(auth.at);
            expect(connection.at).toBe("live");
            expect([outbox.run, analyticsOutbox]).toEqual([{ at: "idle" }, { at: "idle" }]);
            expect(visit.waiting()).toEqual([]);
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
