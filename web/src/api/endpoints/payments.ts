import type { Card, Coupon, Id, Order, Package, Subscription } from "../../contracts/resources";
import { PortError } from "../../ports/error";
import { noAnswer } from "../failure";
import { withoutPersonal } from "../personal";
import type { ApiRequest } from "../request";
import { type Call, type Endpoints, hasField, read, readArray, readList, send, valuesOf } from "./endpoint";

type WireOrder = Order & { next_action?: { type: string; client_secret?: string } };
type WireCard = Card & { last4?: string };

const isOrder = hasField("id", "number");

/** An order without the secret with which its payment goes on, which the account port keeps. */
export function keepPaymentSecret({ account }: Pick<Call, "account">, data: unknown): Order {
  const order = data as WireOrder;
  if (!isOrder(data)) throw noAnswer("unexpected_answer");
  const secret = order.next_action?.client_secret;
  if (typeof secret === "string") account.setPaymentSecret(order.id, secret);
  return withoutPersonal<Order>(order);
}

type Placing = NonNullable<ApiRequest["body"]> & { readonly idempotency_key: string; readonly user_id?: Id };

/** Goes only under the key of who buys, where that is known. */
const under = (user_id: Id | undefined): Pick<ApiRequest, "asUser"> =>
  user_id === undefined ? {} : { asUser: user_id };

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

async function getOrder(id: Id, call: Call, user_id?: Id): Promise<Order> {
  const { data } = await send(call, { method: "GET", path: `/orders/${id}`, fits: isOrder, ...under(user_id) });
  return keepPaymentSecret(call, data);
}

async function setupIntent(call: Call, user_id: Id | undefined): Promise<string> {
  const fits = hasField("client_secret", "string");
  const { data } = await send(call, { method: "POST", path: "/stripe/setup-intent", fits, ...under(user_id) });
  return (data as { client_secret: string }).client_secret;
}

/** A card's form holds either its numbers (sandbox), or Stripe's own field, which gives a method and keeps them. */
interface StripeField {
  tokenize(clientSecret: string): Promise<string>;
}

const isStripeField = (values: object): values is StripeField =>
  "tokenize" in values && typeof values.tokenize === "function";

export const payments: Endpoints<
  | "api.listPackages"
  | "api.getPackage"
  | "api.listSubscriptions"
  | "api.listOrders"
  | "api.getOrder"
  | "api.applyCoupon"
  | "api.listCards"
  | "api.getCustomerPortal"
  | "api.buy"
  | "api.startTrial"
  | "api.unsubscribe"
  | "payments.createCard"
  | "payments.confirm"
> = {
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
  async "api.listCards"(_, call) {
    const { data } = await send(call, { method: "GET", path: "/stripe/list-cards", fits: Array.isArray });
    const cards = data as WireCard[];
    call.account.setLastDigits(Object.fromEntries(cards.map(({ id, last4 }) => [id, last4 ?? ""])));
    return cards.map((card) => withoutPersonal<Card>(card));
  },
  "api.getCustomerPortal": (_, call) => read<{ url: string }>(call, "/stripe/customer-portal"),
  "api.buy": (args, call) => place(call, "/stripe/buy", args),
  "api.startTrial": (args, call) => place(call, "/stripe/subscription/start_trial", args),
  async "api.unsubscribe"(body, call) {
    await send(call, { method: "POST", path: "/stripe/unsubscribe", body, repeatable: true });
    return null;
  },
  async "payments.createCard"({ handle, user_id }, call) {
    const values = valuesOf(call, handle);
    const client_secret = await setupIntent(call, user_id);
    if (isStripeField(values)) return { payment_method_id: await values.tokenize(client_secret) };
    const { number, exp, cvc } = values as { number?: string; exp?: string; cvc?: string };
    const body = { client_secret, number, exp, cvc };
    const fits = hasField("payment_method_id", "string");
    const { data } = await send(call, { method: "POST", path: "/stripe/sandbox-card", body, fits, ...under(user_id) });
    return { payment_method_id: (data as { payment_method_id: string }).payment_method_id };
  },
  async "payments.confirm"({ order_id, user_id }, call) {
    if (call.account.paymentSecret(order_id) === null) await getOrder(order_id, call, user_id);
    const client_secret = call.account.paymentSecret(order_id);
    if (client_secret === null) {
      throw new PortError({ code: "nothing_to_confirm", message: "The payment does not wait for the bank." });
    }
    const accept = await call.account.ask(order_id, call.signal);
    const body = { client_secret, accept };
    const path = "/stripe/sandbox-confirm";
    await send(call, { method: "POST", path, body, repeatable: true, ...under(user_id) });
    return null;
  },
};
