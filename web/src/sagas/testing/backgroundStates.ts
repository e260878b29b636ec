import type { AnalyticsSession } from "../../machines/analyticsSession";
import type { AutoRenew } from "../../machines/autoRenew";
import type { Connection } from "../../machines/connection";
import type { Form } from "../../machines/form";
import type { OutboxItemState, OutboxRun } from "../../machines/outbox";
import type { Reachability } from "../../machines/reachability";
import { analyticsActions } from "../../slices/analytics";
import { autoRenewActions } from "../../slices/autoRenew";
import { connectionInputs } from "../../slices/connection";
import { favouritesActions } from "../../slices/favourites";
import { formActions } from "../../slices/form";
import { outboxActions } from "../../slices/outbox";
import { reachabilityInputs } from "../../slices/reachability";
import type { Leads } from "./processStates";
import { paid } from "./resources";
import { away, openViewerWorld, openWorld, refusing, type Script, silence, type TestWorld } from "./world";

const welcome = () => ({ epoch: "e", user_seq: 3, channel_seq: 8, mode: "resumed", ping_ms: 9e6 }) as const;

async function connected(after: { type: string }): Promise<TestWorld> {
  const world = await openWorld({ "sync.connect": welcome });
  world.script["sync.connect"] = silence;
  world.input("sync", after);
  await world.pass();
  return world;
}

export const connectionLeads: Leads<Connection> = {
  offline: () => connected(connectionInputs.wentOffline()),
  async connecting() {
    const world = await connected(connectionInputs.closed({ code: 1006 }));
    world.input("ui", connectionInputs.cameBack());
    await world.pass();
    return world;
  },
  live: () => openWorld({ "sync.connect": welcome }),
  backoff: () => connected(connectionInputs.closed({ code: 1006 })),
  draining: () => connected(connectionInputs.drainAsked({ window_ms: 8_000 })),
};

async function judged(...facts: { type: string }[]): Promise<TestWorld> {
  const world = await openWorld();
  for (const fact of facts) world.input("api", fact);
  await world.pass();
  return world;
}

export const reachabilityLeads: Leads<Reachability> = {
  reachable: () => judged(),
  unsure: () => judged(reachabilityInputs.suspected()),
  unreachable: () => judged(reachabilityInputs.suspected(), connectionInputs.wentOffline()),
};

export const formKey = "passwordReset" as const;

async function sent(script: Script): Promise<TestWorld> {
  const world = await openWorld(script);
  world.ui(formActions.submitted({ key: formKey, handle: "h" }));
  await world.pass();
  return world;
}

export const formLeads: Leads<Form> = {
  idle: () => openWorld({ "api.resetPassword": silence }),
  sending: () => sent({ "api.resetPassword": silence }),
  storing: () => sent({ "api.resetPassword": () => null, "storage.flush": silence }),
  done: () => sent({ "api.resetPassword": () => null }),
  refused: () => sent({ "api.resetPassword": refusing(400, "Reset password key expired.") }),
};

export const subscriptionKey = "60";

/** An order whose subscription doesn't renew. */
const ending = paid({
  type: "subscription",
  product: { id: 60, name: "Monthly" },
  subscription: { status: "active", auto_renew: "cancelled", current_period_end: "2026-10-21T00:00:00.000Z" },
});

const endingOrders = () => ({ data: [ending], meta: { total: 1, limit: 1, offset: 0 } });

async function cancelled(script: Script): Promise<TestWorld> {
  const world = await openViewerWorld({ "api.listOrders": silence, ...script });
  world.ui(autoRenewActions.cancelPressed({ key: subscriptionKey }));
  await world.pass();
  return world;
}

export const autoRenewLeads: Leads<AutoRenew> = {
  active: () => openViewerWorld({ "api.unsubscribe": silence }),
  cancelling: () => cancelled({ "api.unsubscribe": silence }),
  cancelled: () => cancelled({ "api.unsubscribe": () => null }),
  finished: () =>
    cancelled({
      "api.unsubscribe": () => null,
      "api.listOrders": endingOrders,
    }),
  failed: () => cancelled({ "api.unsubscribe": refusing(400, "Not now.") }),
  keeping: () => withFavourite({ "api.resumeRenewal": silence }),
  keepFailed: () => withFavourite({ "api.resumeRenewal": refusing(400, "Not now.") }),
};

async function withFavourite(script: Script): Promise<TestWorld> {
  const world = await cancelled({ "api.unsubscribe": () => null, "api.listOrders": endingOrders, ...script });
  world.ui(autoRenewActions.keepPressed({ key: subscriptionKey }));
  await world.pass();
  return world;
}

export const outboxRunLeads: Leads<OutboxRun> = {
  idle: () => openWorld(),
  draining: () => openWorld({ "outbox.drain": silence }),
  waiting: () => openWorld({ "outbox.drain": away }),
};

export const analyticsOutboxRunLeads: Leads<OutboxRun> = {
  idle: () => openWorld(),
  draining: () => openWorld({ "outbox.drainAnalytics": silence }),
  waiting: () => openWorld({ "outbox.drainAnalytics": away }),
};

/** The item of a waiting favourite. */
export function favouriteItem(world: TestWorld) {
  const { item } = world.calls("outbox.put").at(-1) ?? {};
  if (item?.kind !== "favourite.add") throw new Error("no favourite was put");
  const { id, kind, payload } = item;
  return { id, kind, payload };
}

async function liked(): Promise<TestWorld> {
  const world = await openViewerWorld({ "outbox.drain": silence });
  world.ui(favouritesActions.toggled({ favoritable_id: 21, favoritable_type: "participant" }));
  await world.pass();
  return world;
}

const afterFact = async (fact: (world: TestWorld) => { type: string }): Promise<TestWorld> => {
  const world = await liked();
  world.input("storage", fact(world));
  await world.pass();
  return world;
};

export const outboxItemLeads: Leads<OutboxItemState> = {
  queued: liked,
  sending: () => afterFact((world) => outboxActions.itemSending({ id: favouriteItem(world).id })),
  done: () =>
    afterFact((world) =>
      outboxActions.itemAnswered({
        ...favouriteItem(world),
        outcome: { outcome: "done", answer: { id: 1, favoritable_id: 21, favoritable_type: "participant" } },
      }),
    ),
  dead: () =>
    afterFact((world) =>
      outboxActions.itemAnswered({
        ...favouriteItem(world),
        outcome: { outcome: "dead", code: "gone", message: "No such team." },
      }),
    ),
};

async function measuring(script: Script): Promise<TestWorld> {
  const world = await openWorld(script);
  world.input(
    "ui",
    analyticsActions.deviceKnown({
      device_type: "desktop",
      user_agent: "Test/1.0",
      resolution: "1280x720",
      origin_url: "http://northfield.test",
      do_not_track: false,
    }),
  );
  await world.pass();
  return world;
}

export const analyticsSessionLeads: Leads<AnalyticsSession> = {
  none: () => openWorld(),
  fetching: () => measuring({ "api.getAnalyticsSession": silence }),
  active: () => measuring({}),
  // A page without device facts doesn't fetch: the session that it inherited expires.
  async expired() {
    const world = await openWorld();
    await world.reload((state) => ({ ...state, analyticsSession: { at: "expired" } }));
    return world;
  },
  failed: () => measuring({ "api.getAnalyticsSession": away }),
};
