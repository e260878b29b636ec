import type { UnknownAction } from "@reduxjs/toolkit";
import { pick } from "../../../src/session/persist/scopes";
import { browserScoped } from "../../../src/slices";
import { authActions } from "../../../src/slices/auth";
import { autoRenewActions } from "../../../src/slices/autoRenew";
import { clipActions, DRAFT } from "../../../src/slices/clip";
import { connectionActions, connectionInputs } from "../../../src/slices/connection";
import { prerollActions } from "../../../src/slices/preroll";
import { purchaseActions } from "../../../src/slices/purchase";
import { queryActions } from "../../../src/slices/queries";
import { startupActions } from "../../../src/slices/startup";
import { tabActions } from "../../../src/slices/tabs";
import { unexpectedActions } from "../unexpectedActions";
import { beginVisit } from "../visit";
import { failures, PERSON } from "../worker";
import { arrives, hears, reads, wantsEvent } from "./acts";

/** Presses and ends that another tab tells of, in each state of what they are about: here nothing takes them up. */
export async function cornersOfTelling(): Promise<string> {
  const tab = { id: "tab-1", leads: false };
  const visit = beginVisit({ checkpointEvery: 1, seed: 61, user: PERSON, tab });
  await arrives(visit);
  const tells = async (...facts: UnknownAction[]): Promise<void> => {
    hears(visit, ...facts);
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
  await tells(submitted(keys[1]));
  await tells(purchaseActions.accepted({ key: keys[1], ...placed }));
  await tells(seen(keys[1], "failed", 4));
  await tells(press);
  await tells(submitted(keys[2]));
  await tells(purchaseActions.abandoned({ key: keys[2] }));

  // What another tab bought makes what this page shows old.
  visit.opens("/profile", reads.orders);
  await visit.passes(1_500);
  await tells(queryActions.invalidated());
  await visit.passes(1_500);
  return visit.log();
}

/** Another tab led, and this page takes over with what that one stored: what it read before may be younger, and is read anew. */
export async function cornersOfLeading(): Promise<string> {
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

/** Echoes of a socket that is gone, while the next attempt waits for its time and while a drain does. */
export async function cornersOfTheSocket(): Promise<string> {
  const visit = beginVisit({ checkpointEvery: 1, seed: 62, user: PERSON });
  const { worker } = visit;
  await arrives(visit);
  const echoes: readonly UnknownAction[] = [
    connectionInputs.pinged({ at: visit.time.now() }),
    connectionInputs.closed({ code: 1006 }),
    connectionInputs.drainAsked({ window_ms: 1_000 }),
    connectionActions.advanced({ stream: "channel", seq: 900 }),
  ];
  const hearsEchoes = (): void => {
    for (const echo of echoes) visit.input("sync", echo);
  };
  const waits = async (...last: UnknownAction[]): Promise<void> => {
    worker.fail("sync.connect", failures.down);
    visit.dropsSocket();
    await visit.passes(20);
    hearsEchoes();
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
    hearsEchoes();
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

/** A refused draft that is put away, a spot that is not shown again, a profile that changes, a start that is begun twice. */
export async function cornersOfRefusals(): Promise<string> {
  const visit = beginVisit({ checkpointEvery: 1, seed: 63, user: PERSON });
  await arrives(visit);
  const request = { event_id: 5, name: " ", start_time: 1, duration: 5, tags: [], event_media_id: 52 };
  visit.does(clipActions.submitPressed({ key: DRAFT, request, media_duration: 40 }));
  await visit.passes(200);
  visit.does(clipActions.dismissed({ key: DRAFT }));
  await visit.passes(200);

  await wantsEvent(visit, 4);
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
