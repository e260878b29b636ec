import { type PayloadAction } from "@reduxjs/toolkit";
import type { Event, Id, Order, OrderStatus, Package } from "../contracts/resources";
import { authActions } from "./auth";
import { connectionInputs, connectionSnapshotReceived } from "./connection";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";
import { queryActions } from "./queries";

/** ORDER. The viewer's orders by id. */
export interface OrdersState {
  readonly byId: { readonly [id: Id]: Order };
  /** Whether all orders are loaded. */
  readonly complete: boolean;
}

const initialState: OrdersState = { byId: {}, complete: false };

const RANK: Readonly<Record<OrderStatus, number>> = { created: 0, failed: 1, paid: 1, refunded: 1 };

/** ORDER-2: no order appears twice, and an older version is ignored, whatever its source and order. */
function merge(byId: OrdersState["byId"], orders: readonly Order[]): OrdersState["byId"] {
  const next: { [id: Id]: Order } = { ...byId };
  for (const order of orders) {
    const now = next[order.id];
    const older = now !== undefined && (order.version < now.version || RANK[order.status] < RANK[now.status]);
    if (!older) next[order.id] = order;
  }
  return next;
}

const withOrder = (state: OrdersState, orders: readonly Order[]): OrdersState => ({
  ...state,
  byId: merge(state.byId, orders),
});

export const orders = createSlice({
  name: "orders",
  initialState: initialState as OrdersState,
  reducers: {
    /** Put by sagas: a call other than a read answered with an order. */
    orderAnswered: (state, { payload: { order } }: PayloadAction<{ order: Order }>) => withOrder(state, [order]),
  },
  extraReducers: (builder) =>
    builder
      .addCase(authActions.loggedOut, () => initialState)
      .addCase(authActions.reset, () => initialState)
      .addCase(queryActions.loaded, (state, { payload }): OrdersState => {
        const now = state as OrdersState;
        switch (payload.method) {
          case "api.listOrders":
            return {
              ...withOrder(now, payload.answer.data),
              complete: payload.args.limit === undefined || now.complete,
            };
          case "api.getOrder":
            return withOrder(now, [payload.answer]);
          default:
            return now;
        }
      })
      .addCase(connectionSnapshotReceived, (state, { payload: { statuses } }) =>
        withOrder(
          state,
          statuses.flatMap((status) => (status.kind === "order" ? [status.state] : [])),
        ),
      )
      .addCase(connectionInputs.statusReceived, (state, { payload }): OrdersState => {
        const now = state as OrdersState;
        if (payload.kind === "order") return withOrder(now, [payload.state]);
        if (payload.kind !== "subscription") return now;
        const byId = { ...now.byId };
        for (const order of Object.values(now.byId))
          if (order.type === "subscription" && order.product.id === payload.id && owns(order))
            byId[order.id] = { ...order, subscription: payload.state };
        return { ...now, byId };
      }),
});

export const ordersActions = orders.actions;

/** ORDER-4. */
export const owns = ({ status, activity_status }: Order): boolean => status === "paid" && activity_status === "active";

export type OrderLabel = "Active" | "Paid" | "Refunded" | "Inactive";

/** ORDER-3. */
export function orderLabel({ status, activity_status }: Order): OrderLabel {
  if (status === "paid") return activity_status === "active" ? "Active" : "Paid";
  return status === "refunded" ? "Refunded" : "Inactive";
}

/** Whether all of the viewer's orders are known, possibly from an earlier page. */
export const selectHasAllOrders = ({ orders: { complete } }: RootState) => complete;
export const selectOrdersById = ({ orders: { byId } }: RootState) => byId;
export const selectOrder =
  (id: Id) =>
  ({ orders: { byId } }: RootState): Order | null =>
    byId[id] ?? null;

const owned = (state: RootState, type: Order["type"], id: Id): boolean =>
  Object.values(state.orders.byId).some((order) => order.type === type && order.product.id === id && owns(order));

/** SUB-6: the order of a subscription whose renewal was refused, until it is paid or ends. */
export const selectPastDue = ({ orders: { byId } }: RootState): Order | undefined =>
  Object.values(byId).find(({ subscription }) => subscription?.past_due);

/** ORDER-4: bought individually; access through a package is the event's `has_access`. */
export const selectEventPurchased =
  (id: Id) =>
  (state: RootState): boolean =>
    owned(state, "event", id);
/** A subscription whose renewal was refused is to be paid, not bought again. */
export const selectSubscriptionPurchased =
  (id: Id) =>
  (state: RootState): boolean =>
    owned(state, "subscription", id) || selectPastDue(state)?.product.id === id;

const covers = (having: readonly Id[], wantedIds: readonly Id[]): boolean =>
  wantedIds.length > 0 && wantedIds.every((id) => having.includes(id));

/** PKG-2. */
export const packagePurchased = (item: Package): boolean =>
  item.is_team_pass
    ? covers(item.disabled_participants, item.participants)
    : covers(item.disabled_categories, item.event_categories);

/**
 * Whether the viewer may watch, as far as this browser knows. A paid order grants access before the event is reread.
 */
export const selectMayWatch =
  (event: Event) =>
  (state: RootState): boolean =>
    event.has_access || selectEventPurchased(event.id)(state);
