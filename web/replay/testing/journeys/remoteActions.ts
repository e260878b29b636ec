import type { UnknownAction } from "@reduxjs/toolkit";
import type { Clip } from "../../../src/contracts/resources";
import { pick } from "../../../src/session/persist/scopes";
import { browserScoped } from "../../../src/slices";
import { authActions } from "../../../src/slices/auth";
import { autoRenewActions } from "../../../src/slices/autoRenew";
import { clipActions, DRAFT } from "../../../src/slices/clip";
import { connectionActions, connectionInputs } from "../../../src/slices/connection";
import { loginActions } from "../../../src/slices/login";
import { analyticsOutboxActions, outboxActions } from "../../../src/slices/outbox";
import { prerollActions } from "../../../src/slices/preroll";
import { purchaseActions } from "../../../src/slices/purchase";
import { queryActions } from "../../../src/slices/queries";
import { startupActions } from "../../../src/slices/startup";
import { tabActions } from "../../../src/slices/tabs";
import { unexpectedActions } from "../unexpectedActions";
import { beginVisit } from "../visit";
import { failures, PERSON } from "../worker";
import { arrives, choosesEvent, reads, receives } from "./actions";

/** Presses and ends reported by another tab, in each state of their subject: here no process reacts to them. */
export async function remoteActionCorners(): Promise<string> {
  const tab = { id: "tab-1", leads: false };
  const visit = beginVisit({ checkpointEvery: 1, seed: 61, user: PERSON, tab });
  visit.worker.silence("payments.confirm");
  await arrives(visit);
  const tells = async (...facts: UnknownAction[]): Promise<void> => {
    receives(visit, ...facts);
    await visit.passes(100);
  };

  const key = "7";
  const pressed = autoRenewActions.cancelPressed({ key });
  const began = autoRenewActions.cancelBegan({ key });
  const failed = autoRenewActions.failed({ key, message: "Try again." });
  const finished = autoRenewActions.finished({ key });
  const renewed = autoRenewActions.renewed({ key });
  for (const fact of [began, failed, pressed, renewed, renewed, finished, finished, renewed]) await tells(fact);
  for (const fact of [finished, renewed, began, failed, finished]) await tells(fact);
  const pressResume = autoRenewActions.keepPressed({ key });
  const startResume = autoRenewActions.keepBegan({ key });
  const failResume = autoRenewActions.keepFailed({ key, message: "It has ended." });
  for (const fact of [pressResume, startResume, startResume, finished, startResume, renewed]) await tells(fact);
  for (const fact of [pressResume, startResume, failResume, pressResume, renewed]) await tells(fact);
  for (const fact of [startResume, failResume, finished, startResume, failResume, startResume]) await tells(fact);

  const until = visit.time.now() + 600_000;
  for (const sender of [outboxActions, analyticsOutboxActions]) {
    const { nudged, drainBegan, drained, deferred } = sender;
    for (const fact of [drained(), deferred({ until }), drainBegan(), nudged(), drainBegan()]) await tells(fact);
    for (const fact of [deferred({ until }), drained(), deferred({ until: until + 1 }), nudged()]) await tells(fact);
    for (const fact of [drainBegan(), deferred({ until, asked: true }), nudged(), drainBegan()]) await tells(fact);
    for (const fact of [nudged(), deferred({ until }), drainBegan(), drained()]) await tells(fact);
  }

  const press = purchaseActions.submitPressed({ choice: { kind: "event", id: 1 } });
  const request = { kind: "event", id: 1, single_event_package_id: 1001, payment_method_id: "pm_saved" } as const;
  const keys = [0, 1, 2].map((n) => `0195c000-0000-7000-8000-00000000001${n}`) as [string, string, string];
  const submitted = (key: string) => purchaseActions.submitted({ key, request });
  const placed = { order_id: 90_401, version: 1 };
  const seen = (key: string, status: "created" | "paid" | "failed", version: number) =>
    purchaseActions.orderSeen({ key, order_id: placed.order_id, status, version, via: "push", failure: null });
  await tells(press);
  await tells(purchaseActions.refused({ key: null, code: "rule", message: "Not now." }));
  await tells(press);
  await tells(submitted(keys[0]));
  await tells(purchaseActions.accepted({ key: keys[0], ...placed }));
  await tells(purchaseActions.interrupted({ key: keys[0], message: "The network did not answer." }));
  await tells(seen(keys[0], "created", 2));
  await tells(seen(keys[0], "paid", 3));
  await tells(press);
  // The item just paid isn't bought again; another one is.
  await tells(submitted(keys[1]));
  const other = { ...request, id: 2, single_event_package_id: 1002 };
  await tells(purchaseActions.submitted({ key: keys[1], request: other }));
  await tells(purchaseActions.accepted({ key: keys[1], ...placed }));
  await tells(seen(keys[1], "failed", 4));
  await tells(press);
  await tells(submitted(keys[2]));
  await tells(purchaseActions.abandoned({ key: keys[2] }));
  const interrupted = purchaseActions.interrupted({ key: keys[0], message: "The network did not answer." });
  const confirmation = purchaseActions.confirmationAsked({ key: keys[0], ...placed });
  const retry = purchaseActions.retryPressed();
  for (const fact of [submitted(keys[0]), confirmation, retry, interrupted]) await tells(fact);
  for (const fact of [
    purchaseActions.confirmed({ key: keys[0] }),
    purchaseActions.accepted({ key: keys[0], ...placed }),
  ])
    await tells(fact);
  for (const fact of [interrupted, purchaseActions.abandoned({ key: keys[0] })]) await tells(fact);
  for (const fact of [submitted(keys[0]), interrupted, confirmation, seen(keys[0], "failed", 5)]) await tells(fact);
  const refused = purchaseActions.refused({ key: null, code: "rule", message: "Not now." });
  for (const fact of [purchaseActions.opened(), submitted(keys[0]), confirmation, seen(keys[0], "failed", 5)])
    await tells(fact);
  for (const fact of [refused, submitted(keys[0]), confirmation, seen(keys[0], "paid", 6), refused]) await tells(fact);
  for (const fact of [submitted(keys[0]), confirmation, seen(keys[0], "paid", 7), purchaseActions.opened()])
    await tells(fact);

  const wanted = { event_id: 5, name: "A save", start_time: 1, duration: 5, tags: [], event_media_id: 52 };
  for (const [n, status] of (["queued", "processing"] as const).entries()) {
    const clip = `0195c000-0000-7000-8000-00000000002${n}`;
    await tells(clipActions.submitted({ key: clip, request: wanted, late_at: until }));
    await tells(clipActions.seen({ key: clip, clip_id: 90_501 + n, status, version: 1 }));
    await tells(clipActions.failed({ key: clip, message: "The worker gave up." }));
  }

  // Another login, and a temporary password.
  const { succeeded, profileChanged } = authActions;
  const temporary = { ...PERSON, temporary_password: true };
  await tells(profileChanged({ user: temporary }), succeeded({ way: "login", user: PERSON }));
  await tells(profileChanged({ user: temporary }));
  await tells(succeeded({ way: "login", user: PERSON }));
  await tells(succeeded({ way: "login", user: { ...PERSON, id: 8 } }));

  // Another tab's purchase makes this page's data stale.
  visit.opens("/profile", reads.orders);
  await visit.passes(1_500);
  await tells(queryActions.invalidated());
  await visit.passes(1_500);
  return visit.log();
}

/**
 * A follower logs in, buys and answers the bank: each of its own processes waits until the leader has folded its
 * intents. Then the leader closes, and this page continues with a finished clip and a renewal to resume.
 */
export async function followsThenLeads(): Promise<string> {
  const visit = beginVisit({ checkpointEvery: 1, seed: 65, user: null, tab: { id: "tab-1", leads: false } });
  const { worker } = visit;
  // The leader's order doesn't exist on this page's own worker: nothing settles it there.
  worker.settlesAfter = 3_600_000;
  await arrives(visit);
  /** The leader folds this page's intents, and its own actions. */
  const leaderDoes = async (...more: UnknownAction[]): Promise<void> => {
    const { generation, seq, pending } = visit.state().tabs;
    const actions = [...pending.map(({ action }) => action), ...more].map(({ type, payload }) => ({ type, payload }));
    const answers = pending.map(({ id }) => id);
    visit.input("storage", tabActions.streamReceived({ generation, seq: seq + 1, actions, answers }));
    await visit.passes(500);
  };
  visit.does(loginActions.submitted({ way: "login", handle: "form-1" }));
  await visit.passes(1_000);
  await leaderDoes();
  visit.opens("/buy?event_id=1&single_event_package_id=1001", reads.event(1), reads.cards);
  await visit.passes(1_500);
  await leaderDoes();
  const choice = { kind: "event", id: 1, single_event_package_id: 1001, payment_method_id: "pm_saved" } as const;
  visit.does(purchaseActions.submitPressed({ choice }));
  await visit.passes(1_000);
  await leaderDoes();
  const { purchase } = visit.state();
  const key = "key" in purchase ? purchase.key : "";
  const placed = { key, order_id: 90_401, version: 1 };
  await leaderDoes(purchaseActions.confirmationAsked(placed));
  await visit.passes(1_000);
  await leaderDoes();
  await leaderDoes(purchaseActions.orderSeen({ ...placed, status: "paid", version: 2, via: "push", failure: null }));

  const clipKey = "0195c000-0000-7000-8000-000000000030";
  const request = { event_id: 5, name: "A save", start_time: 1, duration: 5, tags: [], event_media_id: 52 };
  const late_at = visit.time.now() + 1_795_284_300_000;
  await leaderDoes(clipActions.submitted({ key: clipKey, request, late_at }));
  await leaderDoes(clipActions.seen({ key: clipKey, clip_id: 90_501, status: "queued", version: 1 }));
  const state: Clip = {
    ...request,
    id: 90_501,
    uuid: "c11b0000-0000-4000-8000-000000090501",
    status: "ready",
    created_at: "2026-11-21T18:00:00.000Z",
    version: 3,
  };
  const clipStatus = { stream: "user", seq: 9, kind: "clip", id: state.id, version: 3, state } as const;
  await leaderDoes(connectionInputs.statusReceived(clipStatus));
  await leaderDoes(autoRenewActions.keepBegan({ key: "1" }), autoRenewActions.cancelBegan({ key: "2" }));
  worker.fail("api.resumeRenewal", { code: "validation", message: "It has ended.", status: 400 });
  visit.input("storage", tabActions.led({ generation: visit.state().tabs.generation + 1, seq: 0 }));
  await visit.passes(3_000);
  return visit.log();
}

/**
 * Another tab led, and this page takes over with that tab's stored state: this page's earlier reads may be newer, and
 * are repeated.
 */
export async function leadingCorners(): Promise<string> {
  const visit = beginVisit({ checkpointEvery: 1, seed: 64, user: PERSON, tab: { id: "tab-1", leads: false } });
  await arrives(visit);
  visit.opens("/profile", reads.orders);
  await visit.passes(1_500);
  const state = visit.state();
  const slices = pick({ ...state }, browserScoped);
  visit.input("storage", tabActions.led({ generation: state.tabs.generation + 1, seq: 0, slices }));
  await visit.passes(3_000);
  return visit.log();
}

/** Echoes of a closed socket, during a backoff and during a drain's wait. */
export async function socketCorners(): Promise<string> {
  const visit = beginVisit({ checkpointEvery: 1, seed: 62, user: PERSON });
  const { worker } = visit;
  await arrives(visit);
  const echoes: readonly UnknownAction[] = [
    connectionInputs.pinged({ at: visit.time.now() }),
    connectionInputs.closed({ code: 1006 }),
    connectionInputs.drainAsked({ window_ms: 1_000 }),
    connectionActions.advanced({ stream: "channel", seq: 900 }),
  ];
  const receivesEchoes = (): void => {
    for (const echo of echoes) visit.input("sync", echo);
  };
  const waits = async (...last: UnknownAction[]): Promise<void> => {
    worker.fail("sync.connect", failures.down);
    visit.dropsSocket();
    await visit.passes(20);
    receivesEchoes();
    for (const fact of last) visit.input("ui", fact);
    await visit.passes(40_000);
  };
  await waits(connectionInputs.cameOnline());
  await waits(connectionInputs.cameBack());
  await waits(connectionActions.positionDropped());
  await waits(connectionActions.left());

  const drains = async (...last: UnknownAction[]): Promise<void> => {
    visit.input("sync", connectionInputs.drainAsked({ window_ms: 60_000 }));
    await visit.passes(20);
    receivesEchoes();
    for (const fact of last) visit.input("ui", fact);
    await visit.passes(62_000);
  };
  await drains(connectionInputs.cameOnline());
  await drains(connectionActions.positionDropped());
  await drains(connectionActions.left());
  visit.input("sync", connectionInputs.drainAsked({ window_ms: 60_000 }));
  await visit.passes(20);
  visit.goesOffline();
  visit.input("ui", connectionActions.positionDropped());
  await visit.passes(500);
  visit.comesOnline();
  await visit.passes(3_000);
  visit.goesOffline();
  visit.input("ui", connectionActions.positionDropped());
  await visit.passes(500);
  return visit.log();
}

/** A dismissed draft, a suppressed preroll, a changed profile, a start-up that starts twice. */
export async function refusalCorners(): Promise<string> {
  const visit = beginVisit({ checkpointEvery: 1, seed: 63, user: PERSON });
  await arrives(visit);
  const request = { event_id: 5, name: " ", start_time: 1, duration: 5, tags: [], event_media_id: 52 };
  visit.does(clipActions.submitPressed({ key: DRAFT, request, media_duration: 40 }));
  await visit.passes(200);
  visit.does(clipActions.dismissed({ key: DRAFT }));
  await visit.passes(200);

  await choosesEvent(visit, 4);
  const wanted = prerollActions.wanted({ event_id: 4, event_category_id: 22, location_id: 2, media: "live" });
  for (let times = 0; times < 8; times++) {
    visit.does(wanted);
    await visit.passes(200);
    const { at } = visit.state().preroll;
    unexpectedActions(visit);
    if (at === "suppressed") break;
    visit.does(prerollActions.firstFrameShown(), prerollActions.ended({ how: "played" }));
  }
  visit.does(prerollActions.firstFrameShown());
  visit.live.checkpoint();
  visit.does(prerollActions.ended({ how: "played" }));
  visit.live.checkpoint();

  visit.input("api", authActions.profileLoaded({ user: { ...PERSON, temporary_password: true } }));
  await visit.passes(500);
  visit.input("api", authActions.profileLoaded({ user: PERSON }));
  await visit.passes(500);

  visit.worker.silence("api.getBootstrap");
  visit.does(startupActions.began({ shown: false }));
  visit.does(startupActions.began({ shown: true }));
  await visit.passes(500);
  return visit.log();
}
