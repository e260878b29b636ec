import { pick } from "../../../src/session/persist/scopes";
import { browserScoped } from "../../../src/slices";
import {
  cardPressed,
  customerPortalPressed,
  eventDownloadPressed,
  renewalCardChosen,
  socialLoginPressed,
} from "../../../src/slices/account";
import { analyticsActions } from "../../../src/slices/analytics";
import { connectionInputs } from "../../../src/slices/connection";
import { deviceActions } from "../../../src/slices/devices";
import { favouritesActions } from "../../../src/slices/favourites";
import { queryActions } from "../../../src/slices/queries";
import { startupActions } from "../../../src/slices/startup";
import { tabActions } from "../../../src/slices/tabs";
import { beginVisit } from "../visit";
import { failures, PERSON } from "../worker";
import { arrives, choosesEvent, paysForEvent, reads } from "./actions";

/** Every account button with one call: each is refused once, then succeeds. */
export async function accountButtons(): Promise<string> {
  const visit = beginVisit({ seed: 71, user: PERSON });
  const { worker } = visit;
  await arrives(visit);
  visit.opens("/profile", reads.orders, reads.cards);
  await visit.passes(2_000);
  const renews = (payment_method_id: string | null, handle: string | null) =>
    renewalCardChosen({ subscription_id: 1, payment_method_id, handle });
  for (const press of [renews("pm_saved", null), renews(null, "card-1"), renews(null, null)]) {
    worker.fail("api.useCard", failures.down);
    visit.does(press);
    await visit.passes(1_500);
    visit.does(press);
    await visit.passes(1_500);
  }
  for (const [act, payment_method_id, handle] of [
    ["default", "pm_saved", null],
    ["remove", "pm_saved", null],
    ["add", null, "card-3"],
  ] as const) {
    worker.fail(act === "remove" ? "api.removeCard" : "api.saveCard", failures.down);
    for (const _ of [1, 2]) {
      visit.does(cardPressed({ act, payment_method_id, handle }));
      await visit.passes(1_500);
    }
  }
  worker.fail("payments.createCard", failures.down);
  visit.does(renews(null, "card-2"));
  await visit.passes(1_500);
  for (const method of ["api.startSocialLogin", "api.downloadEvent", "api.getCustomerPortal"] as const)
    worker.fail(method, failures.down);
  for (const press of [socialLoginPressed({ provider: "google" }), eventDownloadPressed({ id: 1 })]) {
    visit.does(press);
    await visit.passes(1_500);
    visit.does(press);
    await visit.passes(1_500);
  }
  visit.does(customerPortalPressed());
  await visit.passes(1_500);
  visit.opens("/profile/sessions/add", reads.sessions);
  await visit.passes(1_500);
  worker.fail("api.unlinkLogin", failures.down);
  for (const id of [1, 2]) {
    visit.does(deviceActions.unlinkPressed({ id, provider: "google" }));
    await visit.passes(1_500);
  }
  return visit.log();
}

/** Reasons to read again: a welcome, an outbox answer, the channel's return, another viewer. */
export async function rereads(): Promise<string> {
  const before = beginVisit({ seed: 72, user: PERSON });
  await arrives(before);
  before.opens("/profile", reads.orders, reads.favourites);
  await before.passes(2_000);

  const visit = beginVisit({ seed: 73, user: PERSON, snapshot: before.state(), latency: [300, 900] });
  const { worker } = visit;
  visit.opens("/profile", reads.orders, reads.favourites);
  await visit.passes(1_000);
  // Answers may now come from a cache, including the in-flight read.
  visit.does(queryActions.wanted(reads.clips));
  visit.input("api", startupActions.wentStale());
  await visit.passes(6_000);
  visit.input("ui", connectionInputs.cameBack());
  await visit.passes(8_000);

  // The network returns before any event reports it: the socket's welcome does.
  worker.fail("api.listOrders", failures.network, 3);
  visit.opens("/profile/transactions", reads.orders);
  await visit.passes(3_000);
  visit.dropsSocket();
  await visit.passes(12_000);

  // A heart is stored while the list of hearts is loading.
  visit.does(favouritesActions.toggled({ favoritable_id: 101, favoritable_type: "participant" }));
  worker.silence("api.listFavourites");
  visit.opens("/", reads.rails, reads.favourites, reads.geo);
  await visit.passes(5_000);
  return visit.log();
}

/** A follower receives another viewer's state and rereads its page. */
export async function otherViewer(): Promise<string> {
  const visit = beginVisit({ checkpointEvery: 1, seed: 74, user: PERSON, tab: { id: "tab-1", leads: false } });
  await arrives(visit);
  visit.opens("/profile", reads.orders);
  await visit.passes(1_500);
  const other = beginVisit({ seed: 75, user: { ...PERSON, id: 8 } });
  await arrives(other);
  const slices = pick({ ...other.state() }, browserScoped);
  visit.input("storage", tabActions.snapshotReceived({ generation: 2, seq: 0, slices }));
  await visit.passes(2_000);
  visit.input("storage", tabActions.snapshotReceived({ generation: 2, seq: 1, slices }));
  await visit.passes(2_000);
  visit.does(queryActions.retryPressed(reads.orders));
  await visit.passes(1_000);
  return visit.log();
}

/** A channel with a tag manager container: it receives pages and a sale, until the viewer refuses. */
export async function tagManager(): Promise<string> {
  const visit = beginVisit({ seed: 76, user: PERSON, settings: { "google-analytics": "GTM-TOUCH" } });
  await arrives(visit);
  visit.input("ui", analyticsActions.consentGiven());
  await visit.passes(1_500);
  await choosesEvent(visit, 1);
  paysForEvent(visit, 1);
  await visit.passes(8_000);
  visit.opens("/upcoming");
  await visit.passes(2_000);
  visit.input("ui", analyticsActions.consentRefused());
  await visit.passes(2_000);
  return visit.log();
}
