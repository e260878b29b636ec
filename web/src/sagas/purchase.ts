import { call, put, race, type SagaGenerator, select, take, takeEvery } from "typed-redux-saga";
import type { Purchase } from "../machines/purchase";
import { connectionActions, connectionInputs, selectLive } from "../slices/connection";
import type { RootState } from "../slices/index";
import { selectOnline } from "../slices/network";
import { purchaseActions, selectPurchase } from "../slices/purchase";
import { type Query, queryActions } from "../slices/queries";
import { attempt } from "./attempt";
import { refreshProfile } from "./auth";
import { drive } from "./purchaseSteps";
import { read } from "./queries";
import { until } from "./stream";

type At<A extends Purchase["at"]> = Extract<Purchase, { at: A }>;

/** Refusals caused by outdated data on the page. */
const OUTDATED_PAGE_CODES: ReadonlySet<string> = new Set([
  "price_changed",
  "geo_blocked",
  "already_bought",
  "no_trial",
  "trial_used",
  "wrong_promo_code",
]);

const CARDS: Query = { method: "api.listCards", args: {} };
const GEO: Query = { method: "api.getGeo", args: {} };

/** Actions that mark an order as watched by this page. */
const ORDER_STARTS = [
  purchaseActions.accepted.type,
  purchaseActions.confirmed.type,
  purchaseActions.resumed.type,
  connectionActions.welcomed.type,
];

/** PAY. Reads the state, does its one step, and reads again, so that a new leader continues from any state. */
export function* purchaseSaga(): SagaGenerator<void> {
  yield* takeEvery(purchaseActions.orderSeen, function* ({ payload: { status } }) {
    // The refused card isn't offered again (PAY-11).
    if (status === "failed") yield* read(CARDS);
    if (status !== "paid") return;
    // The purchase opens without a reload.
    yield* put(queryActions.invalidated());
    yield* refreshProfile();
  });

  // The worker says that this page's data is outdated: it is reread.
  yield* takeEvery(purchaseActions.refused, function* ({ payload: { key, code } }) {
    if (key === null || !OUTDATED_PAGE_CODES.has(code)) return;
    yield* put(queryActions.invalidated());
    if (code === "geo_blocked") yield* read(GEO);
    if (code === "trial_used") yield* refreshProfile();
  });

  // Orders that an upstream without a feed must be polled for.
  yield* takeEvery(ORDER_STARTS, function* () {
    const state = yield* select(selectPurchase);
    if (state.at === "processing" && (yield* select(selectLive)))
      yield* attempt("sync.watch", { kind: "order", id: state.orderId });
  });

  // It is over.
  yield* takeEvery(purchaseActions.orderSeen, function* ({ payload: { order_id, status } }) {
    if (status !== "created") yield* attempt("sync.unwatch", { kind: "order", id: order_id });
  });

  // Nothing was sent under the purchase's key yet. A new leader can't know.
  let unsent = false;
  let found = true;
  for (;;) {
    const state = yield* select(selectPurchase);
    switch (state.at) {
      case "preparing":
      case "rejected":
      case "succeeded":
      case "failed":
        found = false;
        yield* call(untilSubmitted, state);
        unsent = true;
        break;
      case "submitting":
      case "confirming":
      case "processing":
      case "interrupted": {
        const stale = found && state.at === "interrupted" && (yield* select(selectOnline));
        found = false;
        if (stale) {
          // The interruption happened in another page.
          yield* put(purchaseActions.resumed({ key: state.key, by: "load" }));
          break;
        }
        const step = drive(state, { unsent });
        unsent = false;
        yield* race({ step: call(() => step), over: call(until, isOtherBuyer(state.key)) });
        break;
      }
    }
  }
}

/** Whether the buyer is no longer the current user. */
const isOtherBuyer =
  (key: string) =>
  ({ purchase }: RootState): boolean =>
    !("key" in purchase) || purchase.key !== key;

/** Waits for a page to submit a purchase. */
function* untilSubmitted(state: At<"preparing" | "rejected" | "succeeded" | "failed">): SagaGenerator<void> {
  const action = yield* take([
    purchaseActions.submitted.type,
    ...(state.at === "rejected" && state.code === "offline" ? [connectionInputs.cameOnline.type] : []),
    purchaseActions.refused.type,
  ]);
  if (connectionInputs.cameOnline.match(action) && (yield* select(selectPurchase)) === state)
    yield* put(purchaseActions.refusalLifted());
}
