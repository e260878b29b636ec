import { type SagaGenerator, select } from "typed-redux-saga";
import type { Order } from "../contracts/resources";
import { inUnits } from "../lib/currency";
import type { Json } from "../lib/json";
import type { RootState } from "../slices/index";
import { selectPurchase } from "../slices/purchase";
import { record, tag } from "./record";

/** ANA-4: base price − discount + tax; taxes are called the service fee. */
const purchaseValue = ({ base_price, discount, service_fee }: Order): number => base_price - discount + service_fee;

/** One event per order, however often it is seen as paid: the event's id is the purchase's key. */
export function* reportPurchase(order: Order): SagaGenerator<void> {
  const purchase = yield* select(selectPurchase);
  if (!("key" in purchase)) return;
  const item = yield* select(itemOf(order));
  const extras: { [field: string]: Json } = {
    type: order.type,
    transaction_id: String(order.id),
    value: purchaseValue(order),
    tax: order.service_fee,
    discount: order.discount,
    currency: order.currency,
    items: [item],
  };
  yield* record("/datalake/event/", { event: "purchase", extras }, purchase.key);
  yield* tag({ event: "purchase", ecommerce: saleOf(order, item) });
}

/** A sale in the tag manager's format: decimal money, its own field names. */
function saleOf(order: Order, item: Item): Item {
  const { id, type, currency, base_price, discount, service_fee } = order;
  const decimal = (minor: number): number => inUnits(minor, currency);
  return {
    transaction_id: String(id),
    currency,
    value: decimal(purchaseValue(order)),
    tax: decimal(service_fee),
    items: [
      {
        item_id: String(item.id),
        item_name: item.name ?? "",
        item_category: type,
        item_category2: item.event_category_id === null ? "" : String(item.event_category_id),
        price: decimal(base_price - discount),
        discount: decimal(discount),
        quantity: 1,
      },
    ],
  };
}

interface Item {
  [field: string]: Json;
}

const itemOf =
  ({ type, product, base_price }: Order) =>
  ({ catalogue, events }: RootState): Item => ({
    id: product.id,
    name: product.name,
    base_price,
    event_category_id:
      product.event_category_id ??
      (type === "event"
        ? events.byId[product.id]?.event_category_id
        : type === "package"
          ? catalogue.packages[product.id]?.event_categories[0]
          : null) ??
      null,
  });
