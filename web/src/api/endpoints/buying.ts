import type { Coupon, Id, Order } from "../../contracts/resources";
import type { ApiRequest } from "../request";
import { type Call, type Endpoints, read, send } from "./endpoint";
import { changeAnswer, forBuyer, isOrder, storePaymentSecret } from "./orders";

export type BuyingMethod = "api.applyCoupon" | "api.buy" | "api.startTrial" | "api.unsubscribe" | "api.resumeRenewal";

type Placing = NonNullable<ApiRequest["body"]> & { readonly idempotency_key: string; readonly user_id?: Id };

async function createOrder(call: Call, path: string, { idempotency_key, user_id, ...body }: Placing): Promise<Order> {
  const { data } = await send(call, {
    method: "POST",
    path,
    body,
    idempotencyKey: idempotency_key,
    fits: isOrder,
    ...forBuyer(user_id),
  });
  return storePaymentSecret(call, data);
}

export const buying: Endpoints<BuyingMethod> = {
  "api.applyCoupon": ({ type, id, code }, call) =>
    read<Coupon>(call, "/apply_coupon", { query: { type, id, promo_code: code } }),
  "api.buy": (args, call) => createOrder(call, "/stripe/buy", args),
  "api.startTrial": (args, call) => createOrder(call, "/stripe/subscription/start_trial", args),
  "api.unsubscribe": changeAnswer("unsubscribe"),
  "api.resumeRenewal": changeAnswer("subscription/resume"),
};
