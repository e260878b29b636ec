import type { UnknownAction } from "@reduxjs/toolkit";
import type { Id } from "../../../src/contracts/resources";
import { loginActions } from "../../../src/slices/login";
import { purchaseActions } from "../../../src/slices/purchase";
import type { Query } from "../../../src/slices/queries";
import { tabActions } from "../../../src/slices/tabs";
import type { Visit } from "../visit";

const READ = {
  rails: { method: "api.listHomeRails", args: {} },
  slides: { method: "api.listSlides", args: {} },
  geo: { method: "api.getGeo", args: {} },
  cards: { method: "api.listCards", args: {} },
  orders: { method: "api.listOrders", args: {} },
  clips: { method: "api.listUserClips", args: {} },
  favourites: { method: "api.listFavourites", args: {} },
  sessions: { method: "api.listSessions", args: {} },
  vodRails: { method: "api.listVodRails", args: {} },
} as const satisfies Record<string, Query>;

/** The pages' reads. */
export const reads = {
  ...READ,
  event: (id: Id): Query => ({ method: "api.getEvent", args: { id } }),
  eventClips: (event_id: Id): Query => ({ method: "api.listEventClips", args: { event_id } }),
  events: (filter: Extract<Query, { method: "api.listEvents" }>["args"]["filter"]): Query => ({
    method: "api.listEvents",
    args: { filter },
  }),
};

/** Another tab's actions: the leader's stream if this page follows, intents if it leads. */
export function receives(visit: Visit, ...told: UnknownAction[]): void {
  const { leads, generation, seq } = visit.state().tabs;
  const actions = told.map(({ type, payload }) => ({ type, payload }));
  if (!leads)
    return visit.input("storage", tabActions.streamReceived({ generation, seq: seq + 1, actions, answers: [] }));
  for (const action of actions) {
    intents += 1;
    visit.input("ui", tabActions.intentReceived({ id: `tab-2/${intents}`, action }));
  }
}
let intents = 0;

/** Loads the page at home. */
export async function arrives(visit: Visit): Promise<void> {
  await visit.passes(1_500);
  visit.opens("/", reads.rails, reads.geo);
  await visit.passes(2_500);
}

/** Submits a form; its values are behind a handle that dies with the page. */
export async function registers(visit: Visit): Promise<void> {
  visit.opens("/registration");
  await visit.passes(20_000);
  visit.does(loginActions.submitted({ way: "register", handle: "form-1" }));
  await visit.passes(1_500);
}

export async function logsIn(visit: Visit): Promise<void> {
  visit.opens("/login");
  await visit.passes(9_000);
  visit.does(loginActions.submitted({ way: "login", handle: "form-1" }));
  await visit.passes(1_500);
}

/** Opens the buy page of a paid event, and chooses. */
export async function choosesEvent(visit: Visit, id: Id): Promise<void> {
  visit.opens(`/watch/${id}`, reads.event(id), reads.eventClips(id));
  await visit.passes(8_000);
  visit.opens(`/buy?event_id=${id}&single_event_package_id=${1000 + id}`, reads.event(id), reads.cards);
  visit.does(purchaseActions.opened());
  await visit.passes(12_000);
}

/** Presses the button with a new card. */
export function paysForEvent(visit: Visit, id: Id, promo_code?: string): void {
  const event = visit.catalogue.events.find((one) => one.id === id);
  const { coupon } = visit.state().checkout;
  const total =
    promo_code !== undefined && coupon.at === "applied"
      ? coupon.coupon.total
      : event && event.base_price + event.service_fee;
  visit.does(
    purchaseActions.submitPressed({
      choice: {
        kind: "event",
        id,
        card_handle: "card-1",
        ...(event?.single_event_package_id === undefined
          ? {}
          : { single_event_package_id: event.single_event_package_id }),
        ...(promo_code === undefined ? {} : { promo_code }),
        ...(event === undefined || total === undefined
          ? {}
          : { shown: { total, service_fee: event.service_fee, currency: event.currency } }),
      },
    }),
  );
}
