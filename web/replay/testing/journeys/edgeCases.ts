import type { UnknownAction } from "@reduxjs/toolkit";
import type { Clip, Order } from "../../../src/contracts/resources";
import { authActions } from "../../../src/slices/auth";
import { autoRenewActions } from "../../../src/slices/autoRenew";
import { clipActions, DRAFT } from "../../../src/slices/clip";
import { connectionInputs } from "../../../src/slices/connection";
import { favouritesActions } from "../../../src/slices/favourites";
import { formActions } from "../../../src/slices/form";
import { loginActions } from "../../../src/slices/login";
import { outboxInputs } from "../../../src/slices/outbox";
import { prerollActions } from "../../../src/slices/preroll";
import { purchaseActions } from "../../../src/slices/purchase";
import { tabActions } from "../../../src/slices/tabs";
import { unexpectedActions } from "../unexpectedActions";
import { beginVisit, type Visit } from "../visit";
import { failures, PERSON } from "../worker";
import { arrives, choosesEvent, logsIn, paysForEvent, reads, receives } from "./actions";

/** Advances time, with unexpected actions on the way. */
async function passesWithStrays(visit: Visit, ms: number, every: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += every) {
    await visit.passes(every);
    unexpectedActions(visit);
  }
}

/** The viewer's key is refused, and they log in again. */
async function losesKey(visit: Visit): Promise<void> {
  unexpectedActions(visit);
  visit.worker.user = null;
  visit.input("api", authActions.reset({ reason: "unauthenticated" }));
  unexpectedActions(visit);
  visit.does(loginActions.submitted({ way: "login", handle: "form-9" }));
  await visit.passes(1_000);
}

/** Late answers, second presses and echoes at every step of a purchase, and a lost key in each of its states. */
export async function buyingCorners(): Promise<string> {
  const visit = beginVisit({ checkpointEvery: 1, seed: 51, user: PERSON });
  const { worker } = visit;
  await arrives(visit);
  await choosesEvent(visit, 1);
  unexpectedActions(visit);
  visit.does(purchaseActions.submitPressed({ choice: { kind: "event", id: null } }));
  await losesKey(visit);
  visit.does(purchaseActions.submitPressed({ choice: { kind: "event", id: null } }));
  unexpectedActions(visit);

  worker.silence("payments.createCard");
  paysForEvent(visit, 1);
  await visit.passes(500);
  await losesKey(visit);
  worker.silence("payments.createCard", false);
  paysForEvent(visit, 1);
  await passesWithStrays(visit, 900, 90);

  await losesKey(visit);
  worker.card = "asks";
  worker.silence("payments.confirm");
  paysForEvent(visit, 2);
  await visit.passes(1_500);
  await losesKey(visit);
  paysForEvent(visit, 2);
  await visit.passes(1_500);
  unexpectedActions(visit);
  // Decided on another device while the bank's question is open here.
  const { purchase } = visit.state();
  if ("orderId" in purchase && purchase.orderId !== null) worker.settle(purchase.orderId, "paid");
  await visit.passes(1_500);
  unexpectedActions(visit);
  visit.does(purchaseActions.submitPressed({ choice: { kind: "event", id: null } }));
  await visit.passes(500);

  worker.silence("payments.confirm", false);
  worker.fail("payments.confirm", failures.network);
  paysForEvent(visit, 4);
  await visit.passes(2_500);
  unexpectedActions(visit);
  await losesKey(visit);
  worker.card = "pays";
  worker.settlesAfter = 60_000;
  paysForEvent(visit, 4);
  await visit.passes(2_000);
  await losesKey(visit);
  worker.card = "declined";
  worker.settlesAfter = 500;
  paysForEvent(visit, 6);
  await visit.passes(4_000);
  unexpectedActions(visit);
  visit.does(purchaseActions.submitPressed({ choice: { kind: "event", id: null } }));
  await visit.passes(500);
  paysForEvent(visit, 6);
  await visit.passes(4_000);
  visit.does(purchaseActions.opened());
  await visit.passes(300);
  paysForEvent(visit, 6);
  await visit.passes(4_000);
  await losesKey(visit);
  worker.card = "pays";
  paysForEvent(visit, 6);
  await visit.passes(5_000);
  visit.does(purchaseActions.opened());
  unexpectedActions(visit);
  await visit.passes(1_000);
  paysForEvent(visit, 8);
  await visit.passes(5_000);
  await losesKey(visit);
  return visit.log();
}

/** The bank's question comes late, from a poll; a push decides the interrupted purchase. */
export async function followingCorners(): Promise<string> {
  const visit = beginVisit({ checkpointEvery: 1, seed: 52, user: PERSON });
  const { worker } = visit;
  worker.fail("sync.connect", failures.down, 60);
  await arrives(visit);
  await choosesEvent(visit, 1);
  worker.settlesAfter = 60_000;
  paysForEvent(visit, 1);
  await visit.passes(1_500);
  const placed = (): Order | null => {
    const { purchase } = visit.state();
    return "orderId" in purchase && purchase.orderId !== null ? worker.order(purchase.orderId) : null;
  };
  const first = placed();
  if (first) worker.storeOrder({ ...first, version: 2, next_action: { type: "sandbox_confirm" } });
  worker.silence("payments.confirm");
  await visit.passes(3_000);
  unexpectedActions(visit);
  const placedOrder = placed();
  const tells = (order: Order): void =>
    visit.input(
      "sync",
      connectionInputs.statusReceived({
        stream: "user",
        seq: 3,
        kind: "order",
        id: order.id,
        version: order.version,
        state: order,
      }),
    );
  if (placedOrder) tells({ ...placedOrder, version: 3 });
  await visit.passes(1_000);
  worker.silence("payments.confirm", false);
  visit.worker.user = null;
  visit.input("api", authActions.reset({ reason: "unauthenticated" }));
  visit.does(loginActions.submitted({ way: "login", handle: "form-2" }));
  await visit.passes(1_000);
  worker.fail("api.getOrder", failures.network, 2);
  paysForEvent(visit, 2);
  await visit.passes(4_000);
  unexpectedActions(visit);
  const second = placed();
  if (second) tells({ ...second, status: "failed", version: 2, failure: "Your card was declined." });
  await visit.passes(1_500);
  unexpectedActions(visit);
  if (second) tells({ ...second, status: "paid", version: 1 });
  paysForEvent(visit, 4);
  await visit.passes(4_500);
  visit.input("api", authActions.reset({ reason: "api_key" }));
  await visit.passes(1_500);
  return visit.log();
}

/** The leader closes in the middle of its work: this page follows, and then leads from each process's state. */
export async function tabCorners(): Promise<string> {
  const visit = beginVisit({ checkpointEvery: 1, seed: 53, user: PERSON, tab: { id: "tab-1", leads: true } });
  const { worker } = visit;
  await arrives(visit);
  const request = { kind: "event", id: 1, single_event_package_id: 1001, payment_method_id: "pm_saved" } as const;
  const submitted = (key: string) => purchaseActions.submitted({ key, request });
  const placed = (key: string) => ({ key, order_id: 90_401, version: 1 });
  worker.silence("payments.confirm");
  worker.silence("api.getOrder");
  worker.silence("api.buy");
  const states: readonly ((key: string) => readonly UnknownAction[])[] = [
    () => [],
    (key) => [purchaseActions.confirmationAsked(placed(key))],
    (key) => [purchaseActions.accepted(placed(key))],
    (key) => [
      purchaseActions.accepted(placed(key)),
      purchaseActions.interrupted({ key, message: "The network did not answer." }),
    ],
  ];
  let generation = 1;
  const resigns = (): void => visit.input("storage", tabActions.resigned({ generation, seq: 0 }));
  const leads = (): void => {
    generation += 1;
    visit.input("storage", tabActions.led({ generation, seq: 0 }));
  };
  for (const [index, facts] of states.entries()) {
    resigns();
    const key = `0195c000-0000-7000-8000-00000000000${index}`;
    receives(visit, submitted(key), ...facts(key));
    await visit.passes(1_000);
    unexpectedActions(visit);
    leads();
    unexpectedActions(visit);
    await visit.passes(1_500);
    unexpectedActions(visit);
    receives(visit, purchaseActions.abandoned({ key }));
    await visit.passes(500);
  }
  resigns();
  receives(visit, autoRenewActions.cancelBegan({ key: "1" }));
  await visit.passes(500);
  unexpectedActions(visit);
  leads();
  await visit.passes(1_500);
  unexpectedActions(visit);
  receives(visit, { type: "outbox/itemDone", payload: null }, favouritesActions.refused({ message: "No." }));
  await visit.passes(500);
  return visit.log();
}

const clipRequested = (name: string) =>
  clipActions.submitPressed({
    key: DRAFT,
    request: { event_id: 5, name, start_time: 1, duration: 5, tags: ["x"], event_media_id: 52 },
    media_duration: 40,
  });

/** Clips that the worker refuses, that wait for a network until they are late, and that are reported twice. */
export async function clipCorners(): Promise<string> {
  const visit = beginVisit({ checkpointEvery: 1, seed: 54, user: PERSON });
  const { worker } = visit;
  await arrives(visit);
  worker.itemRefusal = { code: "rule", message: "This event cannot be clipped." };
  visit.does(clipRequested("Refused"));
  await visit.passes(3_000);
  unexpectedActions(visit);
  for (const fate of ["failed", "ready"] as const) {
    worker.clipOutcome = fate;
    visit.does(clipRequested(`A clip that is ${fate}`));
    unexpectedActions(visit);
    await passesWithStrays(visit, 10_000, 1_900);
  }
  worker.clipOutcome = "never";
  visit.does(clipRequested("Queued, and late"));
  await visit.passes(2_000);
  visit.does(clipRequested("Processing, and late"));
  await visit.passes(2_000);
  const stored = Object.values(visit.state().clips.byId) as Clip[];
  const [slow] = stored.filter(({ status }) => status === "queued").slice(-1);
  const pushes = (status: Clip["status"], version: number): void => {
    if (slow) worker.tell({ stream: "user", kind: "clip", id: slow.id, version, state: { ...slow, status, version } });
  };
  pushes("processing", 2);
  visit.goesOffline();
  visit.does(clipRequested("Waits for a network"));
  await visit.passes(305_000);
  unexpectedActions(visit);
  visit.comesOnline();
  await visit.passes(5_000);
  pushes("queued", 3);
  await visit.passes(500);
  const failed = { code: "rule", message: "The worker gave up." };
  for (const [key, making] of Object.entries(visit.state().clip))
    if (making.at === "queued" || making.at === "processing" || making.at === "submitting")
      visit.input(
        "storage",
        outboxInputs.itemAnswered({
          id: key,
          kind: "clip.create",
          payload: making.request as never,
          outcome: { outcome: "dead", ...failed },
        }),
      );
  unexpectedActions(visit);
  visit.does(favouritesActions.toggled({ favoritable_id: 101, favoritable_type: "participant" }));
  const id = Object.keys(visit.state().outbox.items).at(-1) ?? "";
  const item = visit.state().outbox.items[id];
  visit.input("storage", outboxInputs.itemSending({ id }));
  visit.live.checkpoint();
  visit.input("storage", outboxInputs.itemReturned({ id }));
  visit.live.checkpoint();
  visit.input("storage", outboxInputs.itemReturned({ id }));
  visit.input("storage", outboxInputs.itemSending({ id }));
  visit.live.checkpoint();
  visit.input("storage", outboxInputs.itemSending({ id }));
  visit.live.checkpoint();
  if (item)
    visit.input(
      "storage",
      outboxInputs.itemAnswered({
        id,
        kind: item.kind,
        payload: item.payload,
        outcome: { outcome: "dead", ...failed },
      } as never),
    );
  visit.input("storage", outboxInputs.itemReturned({ id }));
  visit.live.checkpoint();
  visit.input("storage", outboxInputs.itemSending({ id }));
  visit.live.checkpoint();
  const again = { code: "late", message: "It was told before." };
  if (item)
    visit.input(
      "storage",
      outboxInputs.itemAnswered({
        id,
        kind: item.kind,
        payload: item.payload,
        outcome: { outcome: "dead", ...again },
      } as never),
    );
  visit.live.checkpoint();
  await visit.passes(3_000);
  return visit.log();
}

/** Everything else that comes late or twice: start-up, logins, forms, renewals, prerolls, the socket. */
export async function otherCorners(): Promise<string> {
  const visit = beginVisit({ checkpointEvery: 1, seed: 55 });
  const { worker } = visit;
  unexpectedActions(visit);
  await passesWithStrays(visit, 900, 45);
  await arrives(visit);
  worker.nextUser = { ...PERSON, temporary_password: true };
  worker.user = worker.nextUser;
  visit.input("api", authActions.profileLoaded({ user: worker.nextUser }));
  unexpectedActions(visit);
  receives(visit, authActions.profileWanted(), authActions.succeeded({ way: "login", user: worker.nextUser }));
  await visit.passes(500);
  visit.input("api", authActions.reset({ reason: "api_key" }));
  await visit.passes(1_000);
  await logsIn(visit);
  unexpectedActions(visit);
  visit.does(authActions.logoutPressed());
  unexpectedActions(visit);
  await visit.passes(1_500);
  worker.nextUser = PERSON;
  await logsIn(visit);

  for (const fails of [true, false, false]) {
    if (fails) worker.fail("api.updateProfile", { code: "validation", message: "Too short.", status: 400 });
    visit.does(formActions.submitted({ key: "profile", handle: "form-2" }));
    unexpectedActions(visit);
    await visit.passes(1_000);
    unexpectedActions(visit);
    if (fails) visit.does(formActions.left({ key: "profile" }));
  }

  visit.does(purchaseActions.submitPressed({ choice: { kind: "subscription", id: 1, payment_method_id: "pm_saved" } }));
  await visit.passes(5_000);
  visit.opens("/profile", reads.orders);
  await visit.passes(1_000);
  const press = autoRenewActions.cancelPressed({ key: "1" });
  const renews = (auto_renew: "active" | "cancelled", version: number): void =>
    worker.tell({
      stream: "user",
      kind: "subscription",
      id: 1,
      version,
      state: { status: "active", auto_renew, current_period_end: "2026-12-21T18:00:00.000Z" },
    });
  worker.fail("api.unsubscribe", failures.down, 2);
  visit.does(press);
  unexpectedActions(visit);
  await visit.passes(1_000);
  renews("cancelled", 2);
  await visit.passes(200);
  unexpectedActions(visit);
  const pressResume = autoRenewActions.keepPressed({ key: "1" });
  worker.fail("api.resumeRenewal", { code: "validation", message: "It has ended.", status: 400 });
  visit.does(pressResume);
  unexpectedActions(visit);
  await visit.passes(1_000);
  unexpectedActions(visit);
  visit.does(pressResume);
  await visit.passes(1_000);
  // It renews already: a reloaded page doesn't know.
  visit.does(pressResume);
  await visit.passes(1_000);
  worker.fail("api.unsubscribe", { code: "validation", message: "It has ended.", status: 400 });
  visit.does(press);
  await visit.passes(1_000);
  unexpectedActions(visit);
  renews("active", 3);
  await visit.passes(200);
  unexpectedActions(visit);
  visit.does(press);
  await visit.passes(1_000);
  visit.does(press);
  await visit.passes(1_500);
  unexpectedActions(visit);
  worker.fail("api.resumeRenewal", { code: "validation", message: "It has ended.", status: 400 });
  visit.does(pressResume);
  await visit.passes(1_000);
  renews("active", 9);
  await visit.passes(200);

  const wants = (event_category_id: number) =>
    prerollActions.wanted({ event_id: 4, event_category_id, location_id: 2, media: "live" });
  visit.does(wants(22));
  unexpectedActions(visit);
  await visit.passes(500);
  visit.does(prerollActions.firstFrameShown(), prerollActions.ended({ how: "played" }));
  unexpectedActions(visit);
  visit.does(prerollActions.left());
  visit.live.checkpoint();

  // The viewer changes while the socket is in each of its states.
  const another = async (): Promise<void> => {
    unexpectedActions(visit);
    visit.input("api", authActions.reset({ reason: "unauthenticated" }));
    await visit.passes(700);
    visit.input("api", authActions.profileLoaded({ user: PERSON }));
    await visit.passes(700);
  };
  visit.input("sync", connectionInputs.drainAsked({ window_ms: 60_000 }));
  await visit.passes(300);
  await another();
  visit.input("sync", connectionInputs.drainAsked({ window_ms: 60_000 }));
  await visit.passes(300);
  const [event] = visit.catalogue.events;
  if (event)
    visit.input(
      "sync",
      connectionInputs.statusReceived({
        stream: "channel",
        seq: 44,
        kind: "event",
        id: event.id,
        version: 4,
        state: event,
      }),
    );
  visit.live.checkpoint();
  visit.goesOffline();
  unexpectedActions(visit);
  await another();
  visit.comesOnline();
  worker.silence("sync.connect");
  await visit.passes(500);
  await another();
  worker.silence("sync.connect", false);
  worker.fail("sync.connect", failures.down, 30);
  await visit.passes(12_000);
  await another();

  // Another tab's login ends this one's.
  visit.input("api", authActions.reset({ reason: "unauthenticated" }));
  worker.silence("api.login");
  visit.does(loginActions.submitted({ way: "login", handle: "form-3" }));
  unexpectedActions(visit);
  await visit.passes(500);
  receives(visit, { type: "auth/profileLoaded", payload: { user: PERSON } });
  await visit.passes(1_000);
  unexpectedActions(visit);
  // A key that is refused while the viewer logs out.
  receives(visit, authActions.succeeded({ way: "login", user: PERSON }));
  await visit.passes(1_000);
  visit.does(authActions.logoutPressed());
  unexpectedActions(visit);
  visit.input("api", authActions.reset({ reason: "api_key" }));
  await visit.passes(1_000);
  visit.does(loginActions.submitted({ way: "login", handle: "form-4" }));
  await visit.passes(1_000);
  visit.does(authActions.logoutPressed());
  receives(visit, authActions.succeeded({ way: "login", user: PERSON }));
  await visit.passes(1_000);
  return visit.log();
}

/** Pages that were reloaded in the middle of start-up, of a drain and of a session's first call. */
export async function reloadCorners(at: "channelKey" | "apiKey" | "loading"): Promise<string> {
  const before = beginVisit({ checkpointEvery: 1, seed: 56, latency: [400, 500] });
  before.worker.silence(
    at === "channelKey" ? "api.getChannelKey" : at === "apiKey" ? "api.getApiKey" : "api.getBootstrap",
  );
  await before.passes(3_000);
  const visit = beginVisit({ checkpointEvery: 1, seed: 57, user: null, snapshot: before.state(), latency: [400, 500] });
  visit.worker.fail(at === "loading" ? "api.getParticipants" : "api.getGeo", failures.down);
  unexpectedActions(visit);
  await passesWithStrays(visit, 2_500, 240);
  await arrives(visit);
  return visit.log();
}
