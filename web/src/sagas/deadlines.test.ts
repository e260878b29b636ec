import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RootState } from "../slices/index";
import { toastActions } from "../slices/toast";
import {
  analyticsOutboxRunLeads,
  analyticsSessionLeads,
  connectionLeads,
  outboxRunLeads,
} from "./testing/backgroundStates";
import { clipLeads, type Lead, prerollLeads, purchaseLeads, startupLeads } from "./testing/processStates";
import { openWorld, type TestWorld } from "./testing/world";

// A deadline is a point in time, not a delay: it fires exactly once, even if the page reloads before it or long after
// it.

interface Waiting {
  readonly lead: Lead;
  /** Its time, in Unix milliseconds. */
  due(state: RootState): number | undefined;
  /** Number of times the deadline took effect, over all loads of the page. */
  fired(world: TestWorld): number;
}

const countActions = (type: string) => (world: TestWorld) => world.actions(type).length;
const making = ({ clip }: RootState) => Object.values(clip)[0];
/** A stable socket: its own waits would fill the day. */
const welcome = () => ({ epoch: "e", user_seq: 0, channel_seq: 0, mode: "resumed", ping_ms: 1e9 }) as const;

const lateClip = (lead: Lead): Waiting => ({
  lead,
  due(state) {
    const clip = making(state);
    return clip && "lateAt" in clip ? clip.lateAt : undefined;
  },
  fired: countActions("clip/ranLate"),
});

const waits: { readonly [name: string]: Waiting } = {
  "the error screen's button": {
    lead: startupLeads.keyFailed,
    due: ({ startup }) => (startup.at === "keyFailed" ? startup.reloadAt : undefined),
    // A page opened after it doesn't wait for a press.
    fired: (world) =>
      world.actions("startup/countdownTicked").filter(({ payload }) => (payload as { left: number }).left === 0)
        .length + countActions("startup/began")(world),
  },
  "the next poll of an order": {
    lead: purchaseLeads.processing,
    due: ({ purchase }) => (purchase.at === "processing" ? (purchase.pollAt ?? undefined) : undefined),
    fired: (world) => world.calls("api.getOrder").length,
  },
  "an unsent clip": lateClip(clipLeads.submitting),
  "a clip that waits to be cut": lateClip(clipLeads.queued),
  "a clip that is being cut": lateClip(clipLeads.processing),
  "a preroll without a first frame": {
    lead: prerollLeads.playing,
    due: ({ preroll }) => (preroll.at === "playing" ? preroll.giveUpAt : undefined),
    fired: countActions("preroll/ended"),
  },
  "an analytics session": {
    async lead() {
      const world = await analyticsSessionLeads.active();
      world.script["sync.connect"] = welcome;
      await world.pass(60_000);
      return world;
    },
    due: ({ analyticsSession }) => (analyticsSession.at === "active" ? analyticsSession.expiresAt : undefined),
    fired: countActions("analyticsSession/expired"),
  },
  "a session that failed": {
    lead: analyticsSessionLeads.failed,
    due: ({ analyticsSession }) => (analyticsSession.at === "failed" ? analyticsSession.retryAt : undefined),
    fired: (world) => world.calls("api.getAnalyticsSession").length,
  },
  "unsent items": {
    lead: outboxRunLeads.waiting,
    due: ({ outbox: { run } }) => (run.at === "waiting" ? run.until : undefined),
    fired: (world) => world.calls("outbox.drain").length,
  },
  "unsent analytics": {
    lead: analyticsOutboxRunLeads.waiting,
    due: ({ analyticsOutbox: run }) => (run.at === "waiting" ? run.until : undefined),
    fired: (world) => world.calls("outbox.drainAnalytics").length,
  },
  "a notice": {
    async lead() {
      const world = await openWorld();
      world.ui(toastActions.wanted({ text: "Saved." }));
      await world.pass();
      return world;
    },
    due: ({ toast }) => toast[0]?.until ?? undefined,
    fired: countActions("toast/closed"),
  },
};

/** Shorter than any wait that starts when one is over. */
const AFTERWARDS_MS = 400;
const RUNS = Number(process.env.DEADLINES ?? 12);
const part = (max: number) => fc.double({ min: 0, max, noNaN: true, maxExcluded: true });

describe("a reloaded page keeps the deadline of", () => {
  it.each(Object.entries(waits))("%s", async (_, { lead, due, fired }) => {
    // The page lives for a share of the time, and is then gone for a share of the rest, or for longer.
    const moments = fc.record({ lives: part(1), gone: part(2) });
    await fc.assert(
      fc.asyncProperty(moments, async ({ lives, gone }) => {
        const world = await lead();
        const deadline = due(world.state());
        if (deadline === undefined) throw new Error("nothing is due here");
        const whole = deadline - world.now();
        await world.pass(Math.floor(lives * whole));
        const before = fired(world);
        await world.reload(undefined, Math.floor(gone * (deadline - world.now())));
        const remaining = deadline - world.now();
        if (remaining > 0) {
          expect(due(world.state())).toBe(deadline);
          await world.pass(remaining - 1);
          expect(fired(world), "not before its time").toBe(before);
          await world.pass(1);
        }
        expect(fired(world), "at its time").toBe(before + 1);
        await world.pass(AFTERWARDS_MS);
        expect(fired(world), "once").toBe(before + 1);
        world.expectExpected();
      }),
      { numRuns: RUNS, seed: 20_261_121 },
    );
  });
});

it("a notice under the pointer when its page closed still expires", async () => {
  const world = await openWorld();
  world.ui(toastActions.wanted({ text: "Saved." }));
  await world.pass();
  const [notice] = world.state().toast;
  world.ui(toastActions.held({ id: notice?.id ?? "" }));
  await world.pass(60_000);
  expect(world.state().toast).toHaveLength(1);
  await world.reload();
  await world.pass(60_000);
  expect(world.state().toast).toEqual([]);
  world.expectReplays();
});

describe("the status socket's waits belong to its page", () => {
  it.each(["backoff", "draining"] as const)("after %s the next page connects at once", async (at) => {
    const world = await connectionLeads[at]();
    expect(world.state().connection.at).toBe(at);
    const before = world.calls("sync.connect").length;
    await world.reload();
    expect(world.calls("sync.connect")).toHaveLength(before + 1);
  });
});
