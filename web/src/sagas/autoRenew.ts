import { fork, put, race, type SagaGenerator, select, take, takeEvery } from "typed-redux-saga";
import type { Order } from "../contracts/resources";
import type { Result } from "../lib/result";
import { SECOND } from "../lib/time";
import { now, type PortError, sleep } from "../ports/ask";
import { autoRenewActions } from "../slices/autoRenew";
import { connectionInputs, connectionSnapshotReceived } from "../slices/connection";
import type { RootState } from "../slices/index";
import { ordersActions, owns } from "../slices/orders";
import { queryActions } from "../slices/queries";
import { attemptStored } from "./attempt";
import { read } from "./queries";

/** How soon a cancellation that found no network is sent again, unless the network comes back before. */
const AGAIN_MS = 30 * SECOND;

/** SUB-3, SUB-8. */
export function* autoRenewSaga(): SagaGenerator<void> {
  const underWay = new Set<string>();

  function* cancelRenewal(key: string, pressed_at: number): SagaGenerator<void> {
    if (underWay.has(key)) return;
    underWay.add(key);
    try {
      yield* put(autoRenewActions.cancelBegan({ key, pressed_at }));
      const answer = yield* sendCancellation(key, pressed_at);
      // Who asked has left meanwhile: nobody is here to be told.
      if (answer === null) return;
      if (!answer.ok) {
        yield* put(autoRenewActions.failed({ key, message: answer.error.message }));
        return;
      }
      yield* put(autoRenewActions.cancelled({ key }));
      yield* read({ method: "api.listOrders", args: {} });
    } finally {
      underWay.delete(key);
    }
  }

  function* keep(key: string): SagaGenerator<void> {
    if (underWay.has(key)) return;
    underWay.add(key);
    try {
      yield* put(autoRenewActions.keepBegan({ key }));
      const answer = yield* attemptStored("api.resumeRenewal", { subscription_id: Number(key) });
      if (!(yield* isKnown(key))) return;
      if (!answer.ok) {
        yield* put(autoRenewActions.keepFailed({ key, message: answer.error.message }));
        return;
      }
      yield* read({ method: "api.listOrders", args: {} });
      const { autoRenew } = yield* select((state: RootState) => state);
      if (autoRenew[key]?.at === "keeping") yield* put(autoRenewActions.finished({ key }));
    } finally {
      underWay.delete(key);
    }
  }

  // The orders tell how each subscription stands: what they say ends the process, whoever began it.
  yield* takeEvery(
    [queryActions.loaded, ordersActions.orderAnswered, connectionInputs.statusReceived, connectionSnapshotReceived],
    settle,
  );

  yield* takeEvery(autoRenewActions.cancelPressed, function* ({ payload: { key } }) {
    const { autoRenew } = yield* select((state: RootState) => state);
    const at = autoRenew[key]?.at ?? "active";
    if (at === "active" || at === "failed") yield* cancelRenewal(key, yield* now());
  });

  yield* takeEvery(autoRenewActions.keepPressed, function* ({ payload: { key } }) {
    const { autoRenew } = yield* select((state: RootState) => state);
    const at = autoRenew[key]?.at ?? "active";
    if (at === "active" || at === "finished" || at === "keepFailed") yield* keep(key);
  });

  // What the leader before this one left under way.
  const { autoRenew } = yield* select((state: RootState) => state);
  for (const [key, process] of Object.entries(autoRenew)) {
    if (process.at === "cancelling") yield* fork(cancelRenewal, key, process.pressed_at ?? (yield* now()));
    if (process.at === "cancelled") yield* fork(() => read({ method: "api.listOrders", args: {} }));
    if (process.at === "keeping") yield* fork(keep, key);
  }
}

function* isKnown(key: string): SagaGenerator<boolean> {
  return (yield* select(({ autoRenew }: RootState) => autoRenew[key])) !== undefined;
}

/** Sends a cancellation until it is answered: a press without a network counts from its press. Null: nobody waits. */
function* sendCancellation(key: string, pressed_at: number): SagaGenerator<Result<null, PortError> | null> {
  for (;;) {
    const late = Math.max(0, Math.floor(((yield* now()) - pressed_at) / SECOND));
    const subscription_id = Number(key);
    const answer = yield* attemptStored(
      "api.unsubscribe",
      late === 0 ? { subscription_id } : { subscription_id, pressed_ago_s: late },
    );
    if (!(yield* isKnown(key))) return null;
    const { network, autoRenew } = yield* select((state: RootState) => state);
    const isUnsent = !answer.ok && answer.error.status === undefined && !network.online;
    if (!isUnsent) return answer;
    // Its end may have been told meanwhile, by another device's press.
    if (autoRenew[key]?.at !== "cancelling") return null;
    yield* race({ online: take(connectionInputs.cameOnline), later: sleep("autoRenew.again", AGAIN_MS) });
  }
}

function* settle(): SagaGenerator<void> {
  const { autoRenew, orders } = yield* select((state: RootState) => state);
  for (const [key, { at }] of Object.entries(autoRenew)) {
    const renews = renewalOf(Object.values(orders.byId), Number(key));
    // What is to be kept is told as ending until the worker has said yes.
    if (renews === false && at !== "finished" && at !== "keeping" && at !== "keepFailed")
      yield* put(autoRenewActions.finished({ key }));
    if (renews === true && (at === "finished" || at === "keeping" || at === "keepFailed"))
      yield* put(autoRenewActions.renewed({ key }));
  }
}

/** null: no order tells. */
function renewalOf(orders: readonly Order[], subscription: number): boolean | null {
  const states = orders.flatMap((order) =>
    order.type === "subscription" && order.product.id === subscription && owns(order) && order.subscription
      ? [order.subscription.auto_renew]
      : [],
  );
  return states.length === 0 ? null : states.includes("active");
}
