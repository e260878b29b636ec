import { authActions } from "../../../src/slices/auth";
import { checkoutActions } from "../../../src/slices/checkout";
import { purchaseActions } from "../../../src/slices/purchase";
import { beginVisit } from "../visit";
import { failures, PERSON } from "../worker";
import { arrives, choosesEvent, logsIn, paysForEvent, reads, registers } from "./actions";

/** Registers, enters a promo code and pays; the stream reports the payment. */
export async function purchasePaid(): Promise<string> {
  const visit = beginVisit({ seed: 11 });
  await arrives(visit);
  await registers(visit);
  await choosesEvent(visit, 1);
  visit.does(checkoutActions.couponEntered({ type: "event", id: 1, code: "KICKOFF20" }));
  await visit.passes(4_000);
  paysForEvent(visit, 1, "KICKOFF20");
  await visit.passes(6_000);
  visit.opens("/watch/1", reads.event(1), reads.eventClips(1));
  await visit.passes(5_000);
  return visit.log();
}

/** The bank declines the card; the viewer reads why, and tries one that pays. */
export async function purchaseDeclined(): Promise<string> {
  const visit = beginVisit({ seed: 12 });
  await arrives(visit);
  await logsIn(visit);
  await choosesEvent(visit, 2);
  visit.does(checkoutActions.couponEntered({ type: "event", id: 2, code: "SUMMER" }));
  await visit.passes(3_000);
  visit.does(checkoutActions.couponRemoved());
  visit.worker.card = "declined";
  paysForEvent(visit, 2);
  await visit.passes(6_000);
  visit.does(purchaseActions.popupClosed());
  await visit.passes(10_000);
  visit.worker.card = "pays";
  paysForEvent(visit, 2);
  await visit.passes(6_000);
  return visit.log();
}

/** The socket drops during the payment, then the network: polling takes over, is interrupted, and resumes. */
export async function purchaseSocketDrops(): Promise<string> {
  const visit = beginVisit({ seed: 13 });
  const { worker } = visit;
  await arrives(visit);
  await logsIn(visit);
  await choosesEvent(visit, 1);
  worker.settlesAfter = 15_000;
  worker.fail("api.buy", failures.network);
  paysForEvent(visit, 1);
  await visit.passes(1_500);
  visit.does(purchaseActions.retryPressed());
  await visit.passes(700);
  worker.fail("sync.connect", failures.network, 6);
  visit.dropsSocket();
  await visit.passes(600);
  worker.fail("api.getOrder", failures.network);
  await visit.passes(2_300);
  visit.goesOffline();
  await visit.passes(9_000);
  visit.comesOnline();
  await visit.passes(12_000);
  return visit.log();
}

/** 3-D Secure: the bank refuses the first time and accepts the second. */
export async function purchase3dsRefused(): Promise<string> {
  const visit = beginVisit({ seed: 14 });
  await arrives(visit);
  await logsIn(visit);
  await choosesEvent(visit, 1);
  visit.worker.card = "asksAndRefuses";
  paysForEvent(visit, 1);
  await visit.passes(5_000);
  visit.does(purchaseActions.popupClosed());
  await visit.passes(9_000);
  visit.worker.card = "asks";
  paysForEvent(visit, 1);
  await visit.passes(8_000);
  return visit.log();
}

/** Everything that is refused before any request; the network is lost while a button is pressed. */
export async function purchaseRefused(): Promise<string> {
  const visit = beginVisit({ seed: 15 });
  await arrives(visit);
  const press = purchaseActions.submitPressed;
  visit.does(purchaseActions.opened(), press({ choice: { kind: "event", id: null } }));
  await visit.passes(1_000);
  visit.does(press({ choice: { kind: "package", id: 2 } }));
  await visit.passes(1_000);
  paysForEvent(visit, 1);
  await visit.passes(1_000);
  await logsIn(visit);
  await choosesEvent(visit, 1);
  visit.does(press({ choice: { kind: "event", id: 1 } }));
  await visit.passes(1_000);
  visit.does(press({ choice: { kind: "event", id: 1, single_event_package_id: 1001 } }));
  await visit.passes(1_000);
  visit.goesOffline();
  await visit.passes(1_000);
  paysForEvent(visit, 1);
  await visit.passes(5_000);
  visit.comesOnline();
  await visit.passes(3_000);
  visit.worker.fail("payments.createCard", {
    code: "invalid_number",
    message: "Your card number is incorrect.",
    status: 400,
  });
  paysForEvent(visit, 1);
  await visit.passes(2_000);
  visit.worker.fail("api.buy", { code: "already_bought", message: "You already bought this event.", status: 400 });
  paysForEvent(visit, 1);
  await visit.passes(2_000);
  visit.does(purchaseActions.opened());
  await visit.passes(1_000);
  return visit.log();
}

/**
 * The price changes while the page is open: the viewer is asked again, and presses again. Then the network goes before
 * the card is entered.
 */
export async function purchasePriceChanged(): Promise<string> {
  const visit = beginVisit({ seed: 18 });
  await arrives(visit);
  await logsIn(visit);
  await choosesEvent(visit, 1);
  const price = { base_price: 1299, discount: 0, service_fee: 60, total: 1359, currency: "USD" };
  visit.worker.fail("api.buy", {
    code: "price_changed",
    message: "The price has changed. You have not been charged.",
    status: 409,
    details: { price },
  });
  visit.worker.fail("payments.createCard", failures.network);
  paysForEvent(visit, 1);
  await visit.passes(2_000);
  visit.does(purchaseActions.popupClosed());
  await visit.passes(1_000);
  paysForEvent(visit, 1);
  await visit.passes(3_000);
  visit.does(
    purchaseActions.submitPressed({
      choice: { kind: "event", id: 1, single_event_package_id: 1001, payment_method_id: "pm_2" },
    }),
  );
  await visit.passes(6_000);
  return visit.log();
}

/** The page is reloaded in the middle of a payment: it continues under its key, and the viewer then logs out. */
export async function purchaseReloaded(): Promise<string> {
  const before = beginVisit({ seed: 16, user: PERSON });
  await arrives(before);
  await choosesEvent(before, 1);
  before.worker.silence("api.buy");
  paysForEvent(before, 1);
  await before.passes(2_000);

  const visit = beginVisit({ seed: 17, user: PERSON, snapshot: before.state() });
  await visit.passes(1_000);
  visit.opens("/buy?event_id=1&single_event_package_id=1001", reads.event(1), reads.cards);
  await visit.passes(8_000);
  visit.opens("/profile/transactions", reads.orders);
  await visit.passes(3_000);
  visit.does(authActions.logoutPressed());
  await visit.passes(3_000);
  return visit.log();
}

/** Every option of a purchase: a team, a card to save, the renewal's price; a push that comes before the answer. */
export async function purchaseOptions(): Promise<string> {
  const visit = beginVisit({ checkpointEvery: 1, seed: 19, user: PERSON, latency: [300, 400] });
  const { worker } = visit;
  await arrives(visit);
  const { packages, subscriptions } = visit.catalogue.bootstrap;
  const team = packages.find(({ is_team_pass }) => is_team_pass);
  const [plan] = subscriptions;
  if (!team || !plan) throw new Error("the demo sells no team pass, or no plan");
  visit.opens("/packages");
  const { service_fee, currency } = team;
  visit.does(
    purchaseActions.opened(),
    purchaseActions.submitPressed({
      choice: {
        kind: "package",
        id: team.id,
        ...(team.participants[0] === undefined ? {} : { participant_id: team.participants[0] }),
        card_handle: "card-1",
        save_card: true,
        shown: { total: team.base_price + service_fee, service_fee, currency },
      },
    }),
  );
  await visit.passes(6_000);
  const total = plan.base_price + plan.service_fee;
  worker.fail("api.buy", failures.down);
  visit.does(
    purchaseActions.opened(),
    purchaseActions.submitPressed({
      choice: {
        kind: "subscription",
        id: plan.id,
        payment_method_id: "pm_saved",
        shown: { total, renewal_price: total, currency: plan.currency },
      },
    }),
  );
  await visit.passes(3_000);
  visit.does(purchaseActions.retryPressed());
  await visit.passes(6_000);
  // The bank is faster than the answer: the order is reported as paid before this page knows its id.
  worker.settlesAfter = 0;
  await choosesEvent(visit, 4);
  paysForEvent(visit, 4);
  await visit.passes(3_000);
  // An order reported while still open, and then its end.
  worker.settlesAfter = 60_000;
  await choosesEvent(visit, 6);
  paysForEvent(visit, 6);
  await visit.passes(3_000);
  const { purchase } = visit.state();
  if (!("orderId" in purchase) || purchase.orderId === null) throw new Error("no order was placed");
  const { orderId: id } = purchase;
  const state = { ...worker.order(id), version: 2 };
  worker.storeOrder(state);
  worker.tell({ stream: "user", kind: "order", id, version: 2, state });
  await visit.passes(500);
  worker.settle(id, "paid");
  await visit.passes(3_000);
  return visit.log();
}
