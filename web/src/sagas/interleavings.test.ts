import { describe, expect, it } from "vitest";
import { analyticsSessionActions } from "../slices/analytics";
import { authActions } from "../slices/auth";
import { autoRenewActions } from "../slices/autoRenew";
import { clipActions, DRAFT } from "../slices/clip";
import { connectionInputs } from "../slices/connection";
import { formActions } from "../slices/form";
import { analyticsOutboxActions, outboxActions } from "../slices/outbox";
import { prerollActions } from "../slices/preroll";
import { purchaseActions } from "../slices/purchase";
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
  subscriptionKey,
} from "./testing/backgroundStates";
import {
  authLeads,
  clipLeads,
  keyOf,
  type Leads,
  prerollLeads,
  prerollTarget,
  purchaseChoice,
  purchaseLeads,
  startupLeads,
} from "./testing/processStates";
import { anEvent, aProfile } from "./testing/resources";
import { receive } from "./testing/tabs";
import type { TestWorld } from "./testing/world";

// Outside inputs may come at any moment: the viewer presses, a frame arrives, another tab reports.

interface Input<A extends string> {
  come(world: TestWorld): void;
  /** Transitions from the states that react; the others stay the same. */
  readonly goes: { readonly [from in A]?: A };
  /** States in which it changes data without a transition. */
  readonly alters?: readonly A[];
}

interface Process<S extends { readonly at: string }> {
  readonly leads: Leads<S>;
  /** The current process. */
  now(world: TestWorld): { readonly at: string };
  readonly inputs: { readonly [name: string]: Input<S["at"]> };
  /** States that never last between two turns. */
  readonly passing?: readonly S["at"][];
}

const otherTab = (world: TestWorld, fact: { type: string; payload?: unknown }): void => receive(world, fact);

function atAnyMoment<S extends { readonly at: string }>(name: string, process: Process<S>): void {
  const { leads, now, inputs, passing = [] } = process;
  const states = (Object.keys(leads) as S["at"][]).filter((at) => !passing.includes(at));
  const moments = Object.keys(inputs).flatMap((input) => states.map((at) => [input, at] as const));

  describe(name, () => {
    it.each(moments)("%s: %s", async (input, at) => {
      const { come, goes, alters = [] } = inputs[input] as Input<S["at"]>;
      const world = await leads[at]();
      const before = now(world);
      expect(before.at).toBe(at);
      come(world);
      await world.pass();
      const to = goes[at];
      if (to !== undefined && to !== at) expect(now(world).at).toBe(to);
      else if (to === at || alters.includes(at)) {
        expect(now(world).at).toBe(at);
        expect(now(world)).not.toEqual(before);
      } else expect(now(world)).toEqual(before);
      world.expectExpected();
    });
  });
}

atAnyMoment("start-up", {
  leads: startupLeads,
  now: (world) => world.state().startup,
  inputs: {
    "reload is pressed": { come: (world) => world.ui(startupActions.reloadPressed()), goes: {} },
    "a cache answers": {
      come: (world) => world.input("api", startupActions.wentStale()),
      goes: {},
      alters: ["loading", "ready"],
    },
  },
});

const frame = { stream: "channel", seq: 12, kind: "event", id: 1, version: 1, state: anEvent() } as const;

atAnyMoment("the connection", {
  leads: connectionLeads,
  now: (world) => world.state().connection,
  inputs: {
    "a frame arrives": {
      come: (world) => world.input("sync", connectionInputs.statusReceived(frame)),
      goes: {},
      alters: ["live", "draining"],
    },
    "a ping arrives": {
      come: (world) => world.input("sync", connectionInputs.pinged({ at: world.now() + 1_000 })),
      goes: {},
      alters: ["live"],
    },
    "the socket closes": {
      come: (world) => world.input("sync", connectionInputs.closed({ code: 1006 })),
      goes: { live: "backoff" },
    },
    "the worker drains": {
      come: (world) => world.input("sync", connectionInputs.drainAsked({ window_ms: 8_000 })),
      goes: { live: "draining" },
    },
    "the page returns": {
      come: (world) => world.input("ui", connectionInputs.cameBack()),
      goes: { backoff: "connecting", draining: "connecting" },
    },
    "the network returns": {
      come: (world) => world.input("ui", connectionInputs.cameOnline()),
      goes: { offline: "connecting", backoff: "connecting", draining: "connecting" },
    },
    "the network goes": {
      come: (world) => world.input("ui", connectionInputs.wentOffline()),
      goes: { connecting: "offline", live: "offline", backoff: "offline", draining: "offline" },
    },
  },
});

atAnyMoment("auth", {
  leads: authLeads,
  now: (world) => world.state().auth,
  inputs: {
    "logout is pressed": {
      come(world) {
        world.script["api.logout"] = () => new Promise(() => undefined);
        world.ui(authActions.logoutPressed());
      },
      goes: { authenticated: "loggingOut", mustChangePassword: "loggingOut" },
    },
    "the key is refused": {
      come: (world) => world.input("api", authActions.reset({ reason: "unauthenticated" })),
      goes: { authenticated: "anonymous", mustChangePassword: "anonymous", loggingOut: "anonymous" },
    },
    "another tab has read the profile": {
      come(world) {
        world.script["account.status"] = () => ({ channel_key: true, api_key: true, user_id: 7 });
        otherTab(world, authActions.profileLoaded({ user: aProfile() }));
      },
      goes: { anonymous: "authenticated", mustChangePassword: "authenticated" },
    },
  },
});

atAnyMoment("a form", {
  leads: formLeads,
  now: (world) => world.state().form[formKey] ?? { at: "idle" },
  inputs: {
    "it is sent": {
      come(world) {
        world.script["api.resetPassword"] = () => new Promise(() => undefined);
        world.ui(formActions.submitted({ key: formKey, handle: "h2" }));
      },
      goes: { idle: "sending", done: "sending", refused: "sending" },
    },
    "its page is left": {
      come: (world) => world.ui(formActions.left({ key: formKey })),
      goes: { done: "idle", refused: "idle" },
    },
  },
});

const open = {
  preparing: "submitting",
  rejected: "submitting",
  succeeded: "submitting",
  failed: "submitting",
} as const;
const order = { order_id: 55, version: 9, via: "push", failure: null } as const;

atAnyMoment("a purchase", {
  leads: purchaseLeads,
  now: (world) => world.state().purchase,
  inputs: {
    "a buy page opens": {
      come: (world) => world.ui(purchaseActions.opened()),
      goes: { rejected: "preparing", succeeded: "preparing", failed: "preparing" },
    },
    "pay is pressed": {
      come(world) {
        world.script["api.buy"] = () => new Promise(() => undefined);
        const choice = { ...purchaseChoice, kind: "package", id: 40 } as const;
        world.ui(purchaseActions.submitPressed({ choice }));
      },
      goes: open,
    },
    "pay is pressed without a choice": {
      come: (world) => world.ui(purchaseActions.submitPressed({ choice: { kind: "subscription", id: null } })),
      goes: { preparing: "rejected", succeeded: "rejected", failed: "rejected" },
    },
    "retry is pressed": {
      come: (world) => world.ui(purchaseActions.retryPressed()),
      goes: { interrupted: "processing" },
    },
    "the popup is closed": {
      come: (world) => world.ui(purchaseActions.popupClosed()),
      goes: {},
      alters: ["failed"],
    },
    "the viewer is gone": {
      come: (world) => world.input("api", authActions.reset({ reason: "unauthenticated" })),
      goes: {
        rejected: "preparing",
        submitting: "preparing",
        confirming: "preparing",
        processing: "preparing",
        interrupted: "preparing",
        succeeded: "preparing",
        failed: "preparing",
      },
    },
  },
});

atAnyMoment("a purchase reported by another tab", {
  leads: purchaseLeads,
  now: (world) => world.state().purchase,
  passing: ["preparing", "rejected", "submitting"],
  inputs: {
    "it is paid": {
      come: (world) => otherTab(world, purchaseActions.orderSeen({ key: keyOf(world), ...order, status: "paid" })),
      goes: { confirming: "succeeded", processing: "succeeded", interrupted: "succeeded" },
    },
  },
});

const key = subscriptionKey;

atAnyMoment("a renewal", {
  leads: autoRenewLeads,
  now: (world) => world.state().autoRenew[key] ?? { at: "active" },
  inputs: {
    "cancel is pressed": {
      come(world) {
        world.script["api.unsubscribe"] = () => new Promise(() => undefined);
        world.ui(autoRenewActions.cancelPressed({ key }));
      },
      goes: { active: "cancelling", failed: "cancelling" },
    },
    "another tab reports its end": {
      come: (world) => otherTab(world, autoRenewActions.finished({ key })),
      goes: {
        active: "finished",
        cancelling: "finished",
        cancelled: "finished",
        keeping: "finished",
        keepFailed: "finished",
        failed: "finished",
      },
    },
    "another tab reports that it was bought again": {
      come: (world) => otherTab(world, autoRenewActions.renewed({ key })),
      goes: { finished: "active", keeping: "active", keepFailed: "active", failed: "active" },
    },
  },
});

const clipKey = (world: TestWorld): string => Object.keys(world.state().clip)[0] ?? DRAFT;

atAnyMoment("a clip", {
  leads: clipLeads,
  now: (world) => Object.values(world.state().clip)[0] ?? { at: "draft" },
  inputs: {
    "it is dismissed": {
      come: (world) => world.ui(clipActions.dismissed({ key: clipKey(world) })),
      goes: { ready: "draft", failed: "draft" },
      alters: ["draft"],
    },
  },
});

atAnyMoment("a clip reported by another tab", {
  leads: clipLeads,
  now: (world) => Object.values(world.state().clip)[0] ?? { at: "draft" },
  passing: ["draft"],
  inputs: {
    "it is ready": {
      come(world) {
        const seen = clipActions.seen({ key: clipKey(world), clip_id: 70, status: "ready", version: 9 });
        otherTab(world, seen);
      },
      goes: { submitting: "ready", queued: "ready", processing: "ready" },
    },
    "it is late": {
      come: (world) => otherTab(world, clipActions.ranLate({ key: clipKey(world) })),
      goes: {},
      alters: ["submitting", "queued", "processing"],
    },
  },
});

atAnyMoment("a clip in progress reported by another tab", {
  leads: clipLeads,
  now: (world) => Object.values(world.state().clip)[0] ?? { at: "draft" },
  passing: ["draft", "ready", "failed"],
  inputs: {
    "it failed": {
      come: (world) => otherTab(world, clipActions.failed({ key: clipKey(world), message: "no" })),
      goes: { submitting: "failed", queued: "failed", processing: "failed" },
    },
  },
});

atAnyMoment("a preroll", {
  leads: prerollLeads,
  now: (world) => world.state().preroll,
  passing: ["selecting"],
  inputs: {
    "its first frame is shown": {
      come: (world) => world.ui(prerollActions.firstFrameShown()),
      goes: {},
      alters: ["playing"],
    },
    "it ends": {
      come: (world) => world.ui(prerollActions.ended({ how: "played" })),
      goes: { playing: "done" },
    },
    "its page is left": {
      come: (world) => world.ui(prerollActions.left()),
      goes: { playing: "idle", done: "idle", suppressed: "idle" },
    },
    "another video opens": {
      come: (world) => world.ui(prerollActions.wanted({ ...prerollTarget, event_id: 101, media: "vod" })),
      goes: { idle: "done" },
      alters: ["playing", "done", "suppressed"],
    },
  },
});

atAnyMoment("an analytics session reported by another tab", {
  leads: analyticsSessionLeads,
  now: (world) => world.state().analyticsSession,
  passing: ["active"],
  inputs: {
    "it is fetched": {
      come: (world) => otherTab(world, analyticsSessionActions.fetchBegan()),
      goes: { none: "fetching", expired: "fetching", failed: "fetching" },
    },
  },
});

describe("an analytics session in use", () => {
  it("expires as another tab reports", async () => {
    const world = await analyticsSessionLeads.active();
    otherTab(world, analyticsSessionActions.expired());
    expect(world.state().analyticsSession).toEqual({ at: "expired" });
  });
});

atAnyMoment("the outbox", {
  leads: outboxRunLeads,
  now: (world) => world.state().outbox.run,
  inputs: {
    "an item was stored": {
      come(world) {
        world.script["outbox.drain"] = () => new Promise(() => undefined);
        world.input("storage", outboxActions.nudged());
      },
      // A new item doesn't wait for a failed one.
      goes: { idle: "draining", waiting: "draining" },
      alters: ["draining"],
    },
  },
});

atAnyMoment("the outbox's analytics", {
  leads: analyticsOutboxRunLeads,
  now: (world) => world.state().analyticsOutbox,
  inputs: {
    "an event was stored": {
      come(world) {
        world.script["outbox.drainAnalytics"] = () => new Promise(() => undefined);
        world.input("storage", analyticsOutboxActions.nudged());
      },
      goes: { idle: "draining" },
      alters: ["draining"],
    },
  },
});

const item = (world: TestWorld) => favouriteItem(world);

atAnyMoment("an item in the outbox", {
  leads: outboxItemLeads,
  // A completed item is removed.
  now: (world) => Object.values(world.state().outbox.items)[0]?.state ?? { at: "done" },
  inputs: {
    "it is being sent": {
      come: (world) => world.input("storage", outboxActions.itemSending({ id: item(world).id })),
      goes: { queued: "sending" },
    },
    "it returned to the queue": {
      come: (world) => world.input("storage", outboxActions.itemReturned({ id: item(world).id })),
      goes: { sending: "queued" },
    },
    "it is done": {
      come(world) {
        const answer = { id: 1, favoritable_id: 21, favoritable_type: "participant" };
        const outcome = { outcome: "done", answer } as const;
        world.input("storage", outboxActions.itemAnswered({ ...item(world), outcome }));
      },
      goes: { queued: "done", sending: "done" },
    },
    "it failed": {
      come(world) {
        const outcome = { outcome: "dead", code: "gone", message: "No such team." } as const;
        world.input("storage", outboxActions.itemAnswered({ ...item(world), outcome }));
      },
      goes: { queued: "dead", sending: "dead" },
    },
  },
});
