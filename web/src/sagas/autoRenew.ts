import { fork, put, race, type SagaGenerator, select, take, takeEvery } from "typed-redux-saga";
import type { Order } from "../contracts/resources";
import type { Result } from "../lib/result";
import { SECOND } from "../lib/time";
import { now, type PortError, sleep } from "../ports/world";
import { autoRenewActions } from "../slices/autoRenew";
import { connectionInputs, connectionSnapshotReceived } from "../slices/connection";
import type { RootState } from "../slices/index";
import { ordersActions, owns } from "../slices/orders";
import { queryActions } from "../slices/queries";
import { attemptStored } from "./attempt";
import { read } from "./queries";

/** Retry interval of a cancellation without a network, unless the network returns earlier. */
const RETRY_MS = 30 * SECOND;

/** SUB-3, SUB-8. */
export function* autoRenewSaga(): SagaGenerator<void> {
  const inProgress = new Set<string>();

  function* cancelRenewal(key: string, pressed_at: number): SagaGenerator<void> {
    if (inProgress.has(key)) return;
    inProgress.add(key);
    try {
      yield* put(autoRenewActions.cancelBegan({ key, pressed_at }));
      const answer = yield* sendCancellation(key, pressed_at);
      // The viewer has logged out meanwhile.
      if (answer === null) return;
      if (!answer.ok) {
        yield* put(autoRenewActions.failed({ key, message: answer.error.message }));
        return;
      }
      yield* put(autoRenewActions.cancelled({ key }));
      yield* read({ method: "api.listOrders", args: {} });
    } finally {
      inProgress.delete(key);
    }
  }

  function* resume(key: string): SagaGenerator<void> {
    if (inProgress.has(key)) return;
    inProgress.add(key);
    try {
      yield* put(autoRenewActions.keepBegan({ key }));
      const answer = yield* attemptStored("api.resumeRenewal", { subscription_id: Number(key) });
      if (!(yield* hasRenewalStatus(key))) return;
      if (!answer.ok) {
        yield* put(autoRenewActions.keepFailed({ key, message: answer.error.message }));
        return;
      }
      yield* read({ method: "api.listOrders", args: {} });
      const { autoRenew } = yield* select((state: RootState) => state);
      if (autoRenew[key]?.at === "keeping") yield* put(autoRenewActions.finished({ key }));
    } finally {
      inProgress.delete(key);
    }
  }

  // The orders have each subscription's status, which ends the process whoever started it.
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
    if (at === "active" || at === "finished" || at === "keepFailed") yield* resume(key);
  });

  // Requests that the previous leader started.
  const { autoRenew } = yield* select((state: RootState) => state);
  for (const [key, process] of Object.entries(autoRenew)) {
    if (process.at === "cancelling") yield* fork(cancelRenewal, key, process.pressed_at ?? (yield* now()));
    if (process.at === "cancelled") yield* fork(() => read({ method: "api.listOrders", args: {} }));
    if (process.at === "keeping") yield* fork(resume, key);
  }
}

function* hasRenewalStatus(key: string): SagaGenerator<boolean> {
  return (yield* select(({ autoRenew }: RootState) => autoRenew[key])) !== undefined;
}

/** Sends a cancellation until it is answered; without a network it still counts from the press. null: nobody waits. */
function* sendCancellation(key: string, pressed_at: number): SagaGenerator<Result<null, PortError> | null> {
  for (;;) {
    const late = Math.max(0, Math.floor(((yield* now()) - pressed_at) / SECOND));
    const subscription_id = Number(key);
    const answer = yield* attemptStored(
      "api.unsubscribe",
      late === 0 ? { subscription_id } : { subscription_id, pressed_ago_s: late },
    );
    if (!(yield* hasRenewalStatus(key))) return null;
    const { network, autoRenew } = yield* select((state: RootState) => state);
    const isUnsent = !answer.ok && answer.error.status === undefined && !network.online;
    if (!isUnsent) return answer;
    // It may have ended meanwhile by a press on another device.
    if (autoRenew[key]?.at !== "cancelling") return null;
    yield* race({ online: take(connectionInputs.cameOnline), later: sleep("autoRenew.again", RETRY_MS) });
  }
}

function* settle(): SagaGenerator<void> {
  const { autoRenew, orders } = yield* select((state: RootState) => state);
  for (const [key, { at }] of Object.entries(autoRenew)) {
    const renews = renewalOf(Object.values(orders.byId), Number(key));
    // A subscription being resumed still appears as ending until the worker accepts.
    if (renews === false && at !== "finished" && at !== "keeping" && at !== "keepFailed")
      yield* put(autoRenewActions.finished({ key }));
    if (renews === true && (at === "finished" || at === "keeping" || at === "keepFailed"))
      yield* put(autoRenewActions.renewed({ key }));
  }
}

/** null: no order has it. */
function renewalOf(orders: readonly Order[], subscription: number): boolean | null {
  const states = orders.flatMap((order) =>
    order.type === "subscription" && order.product.id === subscription && owns(order) && order.subscription
      ? [order.subscription.auto_renew]
      : [],
  );
  return states.length === 0 ? null : states.includes("active");
}
