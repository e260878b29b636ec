import { fork, put, type SagaGenerator, select, takeEvery } from "typed-redux-saga";
import type { Order } from "../contracts/resources";
import { autoRenewActions } from "../slices/autoRenew";
import { connectionInputs, connectionSnapshotReceived } from "../slices/connection";
import type { RootState } from "../slices/index";
import { ordersActions, owns } from "../slices/orders";
import { queryActions } from "../slices/queries";
import { attemptStored } from "./attempt";
import { read } from "./queries";

/** SUB-3. */
export function* autoRenewSaga(): SagaGenerator<void> {
  const cancelling = new Set<string>();

  function* cancelRenewal(key: string): SagaGenerator<void> {
    if (cancelling.has(key)) return;
    cancelling.add(key);
    try {
      yield* put(autoRenewActions.cancelBegan({ key }));
      const answer = yield* attemptStored("api.unsubscribe", { subscription_id: Number(key) });
      // Who asked has left meanwhile: nobody is here to be told.
      if ((yield* select(({ autoRenew }: RootState) => autoRenew[key])) === undefined) return;
      if (!answer.ok) {
        yield* put(autoRenewActions.failed({ key, message: answer.error.message }));
        return;
      }
      yield* put(autoRenewActions.cancelled({ key }));
      yield* read({ method: "api.listOrders", args: {} });
    } finally {
      cancelling.delete(key);
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
    if (at === "active" || at === "failed") yield* cancelRenewal(key);
  });

  // What the leader before this one left under way.
  const { autoRenew } = yield* select((state: RootState) => state);
  for (const [key, { at }] of Object.entries(autoRenew)) {
    if (at === "cancelling") yield* fork(cancelRenewal, key);
    if (at === "cancelled") yield* fork(() => read({ method: "api.listOrders", args: {} }));
  }
}

function* settle(): SagaGenerator<void> {
  const { autoRenew, orders } = yield* select((state: RootState) => state);
  for (const [key, { at }] of Object.entries(autoRenew)) {
    const renews = renewalOf(Object.values(orders.byId), Number(key));
    if (renews === false && at !== "finished") yield* put(autoRenewActions.finished({ key }));
    if (renews === true && at === "finished") yield* put(autoRenewActions.renewed({ key }));
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
