import { type SagaGenerator, select } from "typed-redux-saga";
import type { Order } from "../contracts/resources";
import type { Json } from "../lib/json";
import type { RootState } from "../slices/index";
import { selectPurchase } from "../slices/purchase";
import { record, tag } from "./record";

/** ANA-4: base price − discount + tax; taxes are called the service fee. */
export const purchaseValue = ({ base_price, discount, service_fee }: Order): number =>
  base_price - discount + service_fee;

/** One order is one event, however often it is seen paid: the event's id is the purchase's key. */
export function* reportPurchase(order: Order): SagaGenerator<void> {
  const purchase = yield* select(selectPurchase);
  if (!("key" in purchase)) return;
  const item = yield* select(itemOf(order));
  const extras: { [field: string]: Json } = {
    transaction_id: String(order.id),
    value: purchaseValue(order),
    tax: order.service_fee,
    discount: order.discount,
    currency: order.currency,
    items: [item],
  };
  yield* record("/datalake/event/", { event: "purchase", extras }, purchase.key);
  yield* tag({ event: "purchase", ecommerce: extras });
}

const itemOf =
  ({ product, base_price }: Order) =>
  ({ catalogue, events }: RootState): { [field: string]: Json } => ({
    id: product.id,
    name: product.name,
    base_price,
    event_category_id:
      product.event_category_id ??
      events.byId[product.id]?.event_category_id ??
      catalogue.packages[product.id]?.event_categories[0] ??
      null,
  });
