import type { UnknownAction } from "@reduxjs/toolkit";
import type { SubscriptionState } from "../../../src/contracts/resources";
import { autoRenewActions } from "../../../src/slices/autoRenew";
import { clipActions, DRAFT } from "../../../src/slices/clip";
import { connectionInputs } from "../../../src/slices/connection";
import { favouritesActions } from "../../../src/slices/favourites";
import { outboxInputs } from "../../../src/slices/outbox";
import { playerActions } from "../../../src/slices/player";
import { prerollActions } from "../../../src/slices/preroll";
import { purchaseActions } from "../../../src/slices/purchase";
import { tabActions } from "../../../src/slices/tabs";
import { beginVisit } from "../visit";
import { failures, PERSON } from "../worker";
import { arrives, choosesEvent, receives as hearsOf, logsIn, paysForEvent, reads } from "./actions";

const HOUR = 3_600_000;

/** The clock jumps back an hour in the middle of a payment, a video and a preroll. */
export async function clockJumpsBack(): Promise<string> {
  let jumped = false;
  const visit = beginVisit({ seed: 41, clockError: () => (jumped ? -HOUR : 0) });
  await arrives(visit);
  await logsIn(visit);
  await choosesEvent(visit, 1);
  visit.worker.settlesAfter = 9_000;
  visit.dropsSocket();
  visit.worker.fail("sync.connect", failures.network, 3);
  paysForEvent(visit, 1);
  await visit.passes(2_500);
  jumped = true;
  await visit.passes(12_000);
  visit.opens("/watch/1", reads.event(1));
  visit.does(prerollActions.wanted({ event_id: 1, event_category_id: 11, location_id: 1, media: "live" }));
  await visit.passes(800);
  visit.does(prerollActions.firstFrameShown());
  await visit.passes(6_000);
  visit.does(prerollActions.ended({ how: "played" }));
  visit.does(playerActions.opened({ kind: "event", id: 1, stream_id: 12, stream_type: "live" }));
  visit.does(playerActions.firstFrameShown({ position: 0 }));
  await visit.passes(20_000);
  jumped = false;
  await visit.passes(20_000);
  visit.does(playerActions.paused({ position: 40 }));
  visit.opens("/", reads.rails);
  await visit.passes(3_000);
  return visit.log();
}

/** Two tabs: the other one leads, logs in and buys; it closes in the middle, and this one leads. */
export async function twoTabs(): Promise<string> {
  // The other tab is recorded too, for its stream.
  const other = beginVisit({ seed: 42, tab: { id: "tab-2", leads: true } });
  const visit = beginVisit({ seed: 43, user: null, tab: { id: "tab-1", leads: false } });
  const { worker } = visit;
  await Promise.all([arrives(other), arrives(visit)]);

  const hears = (...told: UnknownAction[]): void => hearsOf(visit, ...told);
  worker.user = PERSON;
  hears({ type: "auth/succeeded", payload: { way: "login", user: PERSON } });
  await visit.passes(2_000);
  visit.opens("/watch/1", reads.event(1));
  await visit.passes(2_000);
  const key = "0195c000-0000-7000-8000-0000000000aa";
  const request = { kind: "event", id: 1, single_event_package_id: 1001, payment_method_id: "pm_saved" } as const;
  hears(purchaseActions.submitted({ key, request }));
  await visit.passes(3_000);
  visit.does(purchaseActions.submitPressed({ choice: { kind: "event", id: 1 } }));
  visit.does(favouritesActions.toggled({ favoritable_id: 101, favoritable_type: "participant" }));
  await visit.passes(3_000);
  visit.input("storage", tabActions.led({ generation: 2, seq: 0 }));
  visit.input("storage", outboxInputs.nudged());
  await visit.passes(8_000);
  visit.input("storage", tabActions.resigned({ generation: 2, seq: 9 }));
  await visit.passes(2_000);
  return visit.log();
}

/** A trial starts and its renewal is cancelled: refused once, then accepted; bought again, it renews again. */
export async function autoRenew(): Promise<string> {
  const visit = beginVisit({ seed: 44, user: PERSON });
  const { worker } = visit;
  await arrives(visit);
  visit.opens("/packages");
  visit.does(
    purchaseActions.opened(),
    purchaseActions.submitPressed({ choice: { kind: "trial", id: 1, payment_method_id: "pm_saved" } }),
  );
  await visit.passes(5_000);
  visit.opens("/profile", reads.orders);
  await visit.passes(2_000);
  const press = autoRenewActions.cancelPressed({ key: "1" });
  worker.fail("api.unsubscribe", failures.down);
  visit.does(press, press);
  await visit.passes(2_000);
  const tells = (auto_renew: SubscriptionState["auto_renew"], version: number): void => {
    const state: SubscriptionState = { status: "active", auto_renew, current_period_end: "2026-12-21T18:00:00.000Z" };
    worker.tell({ stream: "user", kind: "subscription", id: 1, version, state });
  };
  visit.does(press, press);
  tells("active", 2);
  await visit.passes(60);
  await visit.passes(240);
  visit.does(press);
  await visit.passes(3_000);
  visit.does(press);
  tells("cancelled", 3);
  await visit.passes(1_000);
  tells("active", 4);
  await visit.passes(1_000);
  worker.silence("api.unsubscribe");
  visit.does(press);
  await visit.passes(500);
  tells("cancelled", 5);
  await visit.passes(1_000);
  return visit.log();
}

/** Offline: hearts and a clip wait in the outbox, go when the network is back, and one is refused. */
export async function outboxOffline(): Promise<string> {
  const visit = beginVisit({ seed: 45, user: PERSON });
  const { worker } = visit;
  await arrives(visit);
  const heart = (favoritable_id: number, favoritable_type = "participant") =>
    favouritesActions.toggled({ favoritable_id, favoritable_type });
  visit.does(heart(101), heart(1, "group"), heart(3, "planet"));
  await visit.passes(3_000);
  visit.goesOffline();
  visit.does(heart(101), heart(102), heart(103));
  // A clip waits among them; a waiting heart is removed again, and added once more.
  const request = { event_id: 5, name: "A save", start_time: 1, duration: 5, tags: [], event_media_id: 52 };
  visit.does(clipActions.submitPressed({ key: DRAFT, request, media_duration: 40 }));
  visit.does(heart(103), heart(103));
  await visit.passes(10_000);
  visit.input("storage", outboxInputs.nudged());
  await visit.passes(1_000);
  const [first = ""] = Object.keys(visit.state().outbox.items);
  visit.input("storage", outboxInputs.itemReturned({ id: first }));
  visit.input("storage", outboxInputs.itemSending({ id: first }));
  visit.input("storage", outboxInputs.itemSending({ id: first }));
  visit.input("storage", outboxInputs.itemReturned({ id: first }));
  visit.input("storage", outboxInputs.itemSending({ id: first }));
  worker.itemRefusal = { code: "not_found", message: "This favourite is gone." };
  visit.comesOnline();
  worker.reachable = false;
  visit.opens("/upcoming");
  await visit.passes(4_000);
  visit.input("storage", outboxInputs.analyticsNudged());
  visit.does(heart(1, "group"));
  await visit.passes(1_000);
  worker.reachable = true;
  visit.input("storage", outboxInputs.nudged());
  await visit.passes(20_000);
  for (const [id, item] of Object.entries(visit.state().outbox.items)) {
    const { kind, payload, state } = item;
    if (state.at !== "dead") continue;
    const dead = { outcome: "dead", code: state.code, message: state.message } as const;
    visit.input("storage", outboxInputs.itemSending({ id }));
    visit.input("storage", outboxInputs.itemReturned({ id }));
    visit.input("storage", outboxInputs.itemAnswered({ id, kind, payload, outcome: dead } as never));
    if (kind === "favourite.add" || kind === "favourite.remove")
      visit.does(heart(payload.favoritable_id, payload.favoritable_type));
    const done = { outcome: "done", answer: { ...payload, id: 90_999 } } as const;
    visit.input("storage", outboxInputs.itemAnswered({ id, kind, payload, outcome: done } as never));
  }
  // This tab follows another one: failed items are dropped without another notice.
  visit.input("storage", tabActions.resigned({ generation: 1, seq: 9 }));
  visit.input("storage", tabActions.led({ generation: 2, seq: 0 }));
  worker.fail("outbox.put", { code: "quota", message: "This device has no room left." });
  visit.does(heart(104));
  await visit.passes(8_000);
  worker.reachable = false;
  worker.retryAfter = 6_000;
  visit.does(heart(105));
  await visit.passes(1_000);
  worker.reachable = true;
  visit.does(heart(106));
  visit.input("storage", outboxInputs.nudged());
  await visit.passes(8_000);
  return visit.log();
}

/** The socket in all conditions: refused, silent, drained, pinged, closed while it isn't open. */
export async function connectionWeather(): Promise<string> {
  const visit = beginVisit({ seed: 46, user: null });
  const { worker } = visit;
  const stray = (): void => {
    visit.input("ui", connectionInputs.cameBack());
    visit.input("sync", connectionInputs.closed({ code: 1006 }));
    visit.input("sync", connectionInputs.drainAsked({ window_ms: 5_000 }));
    visit.input("sync", connectionInputs.pinged({ at: visit.time.now() }));
    const [event] = visit.catalogue.events;
    if (!event) return;
    visit.input(
      "sync",
      connectionInputs.statusReceived({
        stream: "channel",
        seq: 41,
        kind: "event",
        id: event.id,
        version: 1,
        state: event,
      }),
    );
  };
  stray();
  worker.silence("sync.connect");
  await arrives(visit);
  stray();
  visit.input("ui", connectionInputs.cameOnline());
  await visit.passes(9_000);
  worker.silence("sync.connect", false);
  worker.fail("sync.connect", failures.down, 2);
  await visit.passes(400);
  visit.input("sync", connectionInputs.closed({ code: 1006 }));
  await visit.passes(20_000);
  visit.opens("/watch/1", reads.event(1));
  const [event] = visit.catalogue.events;
  for (const version of [2, 3]) {
    await visit.passes(20_000);
    visit.input("sync", connectionInputs.pinged({ at: visit.time.now() + 1_795_284_000_000 }));
    if (event)
      worker.tell({
        stream: "channel",
        kind: "event",
        id: event.id,
        version,
        state: { ...event, version, stream_status: version === 2 ? "live" : "finished" },
      });
  }
  visit.input("ui", connectionInputs.cameOnline());
  visit.input("ui", connectionInputs.cameBack());
  // Silence: two pings are missed.
  await visit.passes(60_000);
  visit.input("sync", connectionInputs.drainAsked({ window_ms: 8_000 }));
  await visit.passes(200);
  stray();
  visit.input("ui", connectionInputs.wentOffline());
  visit.input("ui", connectionInputs.wentOffline());
  stray();
  await visit.passes(3_000);
  visit.input("ui", connectionInputs.cameOnline());
  await visit.passes(3_000);
  visit.input("sync", connectionInputs.drainAsked({ window_ms: 30_000 }));
  await visit.passes(180);
  visit.input("ui", connectionInputs.cameOnline());
  await visit.passes(2_000);
  worker.silence("sync.connect");
  visit.dropsSocket();
  await visit.passes(1_200);
  visit.input("ui", connectionInputs.wentOffline());
  await visit.passes(1_000);
  return visit.log();
}
