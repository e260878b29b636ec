import type { Order, Package, Subscription } from "../../contracts/resources";
import { type Endpoints, read, readArray, readList } from "./endpoint";
import { getOrder } from "./orders";

export const payments: Endpoints<
  "api.listPackages" | "api.getPackage" | "api.listSubscriptions" | "api.listOrders" | "api.getOrder"
> = {
  "api.listPackages": (_, call) => readArray<Package>(call, "/packages"),
  "api.getPackage": ({ id }, call) => read<Package>(call, `/packages/${id}`),
  "api.listSubscriptions": (_, call) => readArray<Subscription>(call, "/subscriptions"),
  async "api.listOrders"({ limit, offset }, call) {
    const part = limit === undefined ? { no_limit: 1 } : { limit };
    return readList<Order>(call, "/orders", { ...part, offset });
  },
  "api.getOrder": ({ id, user_id }, call) => getOrder(id, call, user_id),
};
