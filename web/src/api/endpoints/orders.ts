import type { Id, Order } from "../../contracts/resources";
import { noAnswer } from "../failure";
import { withoutPersonal } from "../personal";
import type { ApiRequest } from "../request";
import { type Call, hasField, send } from "./endpoint";

type WireOrder = Order & { next_action?: { type: string; client_secret?: string } };

export const isOrder = hasField("id", "number");

/** Returns an order without its payment secret, which goes to the account port. */
export function storePaymentSecret({ account }: Pick<Call, "account">, data: unknown): Order {
  const order = data as WireOrder;
  if (!isOrder(data)) throw noAnswer("unexpected_answer");
  const secret = order.next_action?.client_secret;
  if (typeof secret === "string") account.setPaymentSecret(order.id, secret);
  return withoutPersonal<Order>(order);
}

/** Restricts a request to the buyer's key, if the buyer is known. */
export const forBuyer = (user_id: Id | undefined): Pick<ApiRequest, "asUser"> =>
  user_id === undefined ? {} : { asUser: user_id };

export async function getOrder(id: Id, call: Call, user_id?: Id): Promise<Order> {
  const { data } = await send(call, { method: "GET", path: `/orders/${id}`, fits: isOrder, ...forBuyer(user_id) });
  return storePaymentSecret(call, data);
}

/** A change of a subscription or card whose answer has no data. */
export const changeAnswer =
  (what: string) =>
  async (body: NonNullable<ApiRequest["body"]>, call: Call): Promise<null> => {
    await send(call, { method: "POST", path: `/stripe/${what}`, body, repeatable: true });
    return null;
  };
