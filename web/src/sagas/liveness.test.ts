import { describe, expect, it } from "vitest";
import { machines } from "../machines";
import { analyticsActions } from "../slices/analytics";
import { authActions } from "../slices/auth";
import { autoRenewActions } from "../slices/autoRenew";
import { clipActions, DRAFT } from "../slices/clip";
import { connectionInputs } from "../slices/connection";
import { formActions } from "../slices/form";
import type { RootState } from "../slices/index";
import { loginActions } from "../slices/login";
import { analyticsOutboxActions, outboxActions } from "../slices/outbox";
import { prerollActions } from "../slices/preroll";
import { purchaseActions } from "../slices/purchase";
import { reachabilityInputs } from "../slices/reachability";
import { startupActions } from "../slices/startup";
import {
  analyticsOutboxRunLeads,
  analyticsSessionLeads,
  autoRenewLeads,
  connectionLeads,
  favouriteItem,
  formKey,
  formLeads,
  outboxItemLeads,
  outboxRunLeads,
  reachabilityLeads,
  subscriptionKey,
} from "./testing/backgroundStates";
import {
  answerClips,
  authLeads,
  clipLeads,
  type Lead,
  loginLeads,
  prerollLeads,
  prerollTarget,
  purchaseChoice,
  purchaseLeads,
  startupLeads,
  stuckSelecting,
} from "./testing/processStates";
import { aClip } from "./testing/resources";
import { receive } from "./testing/tabs";
import type { TestWorld } from "./testing/world";

// Every state of a process must have a way out: a timer, an outside input, or a button.

const MINUTE = 60_000;

type Way = (world: TestWorld) => unknown;

/** Ways out common to all processes: time, an unanswered call, the network, a reload. */
const COMMON: readonly Way[] = [
  (world) => world.pass(6 * MINUTE),
  (world) => world.timeOut(),
  (world) => world.input("ui", connectionInputs.cameOnline()),
];

interface Process {
  readonly leads: { readonly [at: string]: Lead };
  now(state: RootState): { readonly at: string } | undefined;
  /** Its own buttons and inputs. */
  readonly ways: readonly Way[];
  readonly left?: { readonly [at: string]: (state: RootState) => RootState };
}

const clipStatus = (world: TestWorld) => {
  const state = aClip({ status: "ready", version: 9 });
  const frame = { stream: "user", seq: 9, kind: "clip", id: state.id, version: 9, state } as const;
  world.input("sync", connectionInputs.statusReceived(frame));
};
const device = {
  device_type: "desktop",
  user_agent: "Test/1.0",
  resolution: "1280x720",
  origin_url: "http://northfield.test",
  do_not_track: false,
};
const renewed = { key: subscriptionKey };

const processes: { readonly [machine: string]: Process } = {
  startup: {
    leads: startupLeads,
    now: ({ startup }) => startup,
    // A ready page can become stale.
    ways: [(world) => world.input("api", startupActions.wentStale())],
  },
  reachability: {
    leads: reachabilityLeads,
    now: ({ reachability }) => reachability,
    ways: [
      (world) => world.input("api", reachabilityInputs.answered()),
      (world) => world.input("api", reachabilityInputs.suspected()),
    ],
  },
  connection: {
    leads: connectionLeads,
    now: ({ connection }) => connection,
    ways: [(world) => world.input("sync", connectionInputs.closed({ code: 1006 }))],
  },
  auth: {
    leads: authLeads,
    now: ({ auth }) => auth,
    ways: [
      (world) => world.ui(loginActions.submitted({ way: "login", handle: "h2" })),
      (world) => world.ui(authActions.logoutPressed()),
    ],
  },
  login: {
    leads: loginLeads,
    now: ({ login }) => login,
    ways: [
      (world) => world.ui(loginActions.submitted({ way: "login", handle: "h2" })),
      (world) => world.ui(loginActions.refusalSeen()),
    ],
  },
  form: {
    leads: formLeads,
    now: ({ form }) => form[formKey] ?? { at: "idle" },
    ways: [(world) => world.ui(formActions.submitted({ key: formKey, handle: "h2" }))],
  },
  purchase: {
    leads: purchaseLeads,
    now: ({ purchase }) => purchase,
    ways: [(world) => world.ui(purchaseActions.submitPressed({ choice: purchaseChoice }))],
  },
  autoRenew: {
    leads: autoRenewLeads,
    now: ({ autoRenew }) => autoRenew[subscriptionKey] ?? { at: "active" },
    ways: [
      (world) => world.ui(autoRenewActions.cancelPressed(renewed)),
      // It was bought again, or it ended: the orders say so.
      (world) => receive(world, autoRenewActions.finished(renewed)),
      (world) => receive(world, autoRenewActions.renewed(renewed)),
    ],
  },
  clip: {
    leads: clipLeads,
    now: ({ clip }) => Object.values(clip)[0] ?? { at: "draft" },
    ways: [
      (world) => answerClips(world, "queued", 1),
      clipStatus,
      (world) => world.ui(clipActions.dismissed({ key: Object.keys(world.state().clip)[0] ?? DRAFT })),
    ],
  },
  preroll: {
    leads: prerollLeads,
    now: ({ preroll }) => preroll,
    ways: [(world) => world.ui(prerollActions.wanted({ ...prerollTarget, event_id: 101 }))],
    left: { selecting: stuckSelecting },
  },
  analyticsSession: {
    leads: analyticsSessionLeads,
    now: ({ analyticsSession }) => analyticsSession,
    // A day with the page closed counts as a timer's, and is a hundred times cheaper to simulate.
    ways: [
      (world) => world.input("ui", analyticsActions.deviceKnown(device)),
      (world) => world.reload(undefined, 25 * 60 * MINUTE),
    ],
  },
  outbox: {
    leads: outboxRunLeads,
    now: ({ outbox }) => outbox.run,
    ways: [(world) => world.input("storage", outboxActions.nudged())],
  },
  analyticsOutbox: {
    leads: analyticsOutboxRunLeads,
    now: ({ analyticsOutbox }) => analyticsOutbox,
    ways: [(world) => world.input("storage", analyticsOutboxActions.nudged())],
  },
  outboxItem: {
    leads: outboxItemLeads,
    now: ({ outbox }) => Object.values(outbox.items)[0]?.state,
    ways: [
      (world) =>
        world.input(
          "storage",
          outboxActions.itemAnswered({
            ...favouriteItem(world),
            outcome: { outcome: "dead", code: "gone", message: "No such team." },
          }),
        ),
      // A failed item goes with the page.
      (world) => world.reload(),
    ],
  },
};

it("every machine is covered", () => {
  expect(Object.keys(processes).sort()).toEqual(machines.map(({ name }) => name).sort());
});

describe.each(Object.entries(processes))("%s", (_, { leads, now, ways, left }) => {
  it.each(Object.entries(leads))("is moved on from %s by a timer, an input or a button", async (at, lead) => {
    const moved: boolean[] = [];
    for (const way of [...COMMON, ...ways]) {
      const world = await lead();
      const from = left?.[at];
      // No page stays in this state: a crash may have left it, and the next page continues.
      if (from) await world.reload(from);
      const before = from ? from(world.state()).preroll : now(world.state());
      if (before === undefined) return expect(at).toBe("done");
      expect(before.at).toBe(at);
      let isMoved = false;
      // It may have returned to the same state by the end, such as a form that is refused again.
      world.store().subscribe(() => {
        isMoved ||= JSON.stringify(now(world.state())) !== JSON.stringify(before);
      });
      await way(world);
      await world.pass();
      // A reloaded page has another store.
      isMoved ||= JSON.stringify(now(world.state())) !== JSON.stringify(before);
      moved.push(isMoved);
      if (moved.at(-1)) break;
    }
    expect(moved).toContain(true);
  });
});
