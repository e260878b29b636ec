import type { Coupon, Id, Order, Package, Subscription } from "../../contracts/resources";
import { noAnswer } from "../failure";
import type { ApiRequest } from "../request";
import type { OfCards } from "./cards";
import { type Call, type Endpoints, read, readArray, readList, send } from "./endpoint";
import { changed, getOrder, isOrder, keepPaymentSecret, under } from "./orders";

type Placing = NonNullable<ApiRequest["body"]> & { readonly idempotency_key: string; readonly user_id?: Id };

async function place(call: Call, path: string, { idempotency_key, user_id, ...body }: Placing): Promise<Order> {
  const { data } = await send(call, {
    method: "POST",
    path,
    body,
    idempotencyKey: idempotency_key,
    fits: isOrder,
    ...under(user_id),
  });
  return keepPaymentSecret(call, data);
}

const OF_CARDS = [
  "api.listCards",
  "api.getCustomerPortal",
  "api.listTransactions",
  "api.useCard",
  "api.saveCard",
  "api.removeCard",
  "payments.createCard",
  "payments.confirm",
] as const satisfies readonly OfCards[];

/** Few pages have to do with cards: what answers these calls arrives with the first that does. */
const ofCards = Object.fromEntries(
  OF_CARDS.map((method) => [
    method,
    async (args: never, call: Call): Promise<unknown> => {
      const { cards } = await import("./cards").catch(() => {
        throw noAnswer("network");
      });
      return cards[method](args, call);
    },
  ]),
) as Endpoints<OfCards>;

export const payments: Endpoints<
  | OfCards
  | "api.listPackages"
  | "api.getPackage"
  | "api.listSubscriptions"
  | "api.listOrders"
  | "api.getOrder"
  | "api.applyCoupon"
  | "api.buy"
  | "api.startTrial"
  | "api.unsubscribe"
  | "api.resumeRenewal"
> = {
  ...ofCards,
  "api.listPackages": (_, call) => readArray<Package>(call, "/packages"),
  "api.getPackage": ({ id }, call) => read<Package>(call, `/packages/${id}`),
  "api.listSubscriptions": (_, call) => readArray<Subscription>(call, "/subscriptions"),
  async "api.listOrders"({ limit, offset }, call) {
    const part = limit === undefined ? { no_limit: 1 } : { limit };
    return readList<Order>(call, "/orders", { ...part, offset });
  },
  "api.getOrder": ({ id, user_id }, call) => getOrder(id, call, user_id),
  "api.applyCoupon": ({ type, id, code }, call) =>
    read<Coupon>(call, "/apply_coupon", { query: { type, id, promo_code: code } }),
  "api.buy": (args, call) => place(call, "/stripe/buy", args),
  "api.startTrial": (args, call) => place(call, "/stripe/subscription/start_trial", args),
  "api.unsubscribe": changed("unsubscribe"),
  "api.resumeRenewal": changed("subscription/resume"),
};
