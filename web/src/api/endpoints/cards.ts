import type { Card, Id, Transaction } from "../../contracts/resources";
import type { Calls } from "../../ports/calls";
import { PortError } from "../../ports/error";
import { withoutPersonal } from "../personal";
import { type Call, type Endpoints, hasField, read, send, valuesOf } from "./endpoint";
import { changeAnswer, forBuyer, getOrder } from "./orders";

type Args<M extends keyof Calls> = Calls[M]["args"];

export type CardMethod =
  | "api.listCards"
  | "api.listTransactions"
  | "api.getCustomerPortal"
  | "api.useCard"
  | "api.saveCard"
  | "api.removeCard"
  | "payments.createCard"
  | "payments.confirm";

async function setupIntent(call: Call, user_id: Id | undefined): Promise<string> {
  const fits = hasField("client_secret", "string");
  const { data } = await send(call, { method: "POST", path: "/stripe/setup-intent", fits, ...forBuyer(user_id) });
  return (data as { client_secret: string }).client_secret;
}

/** A card form carries either raw numbers (sandbox) or Stripe's own fields, which produce a payment method. */
interface StripeField {
  tokenize(
    clientSecret: string,
  ): Promise<{ payment_method_id: string } | { refused: { code: string; message: string } }>;
}

const isStripeField = (values: object): values is StripeField =>
  "tokenize" in values && typeof values.tokenize === "function";

/** Turns the card of a form into a payment method, using a setup intent. */
async function createCard({ handle, user_id }: Args<"payments.createCard">, call: Call) {
  const values = valuesOf(call, handle);
  const client_secret = await setupIntent(call, user_id);
  if (isStripeField(values)) {
    const card = await values.tokenize(client_secret);
    if ("refused" in card) throw new PortError({ ...card.refused, status: 402 });
    return card;
  }
  const { number, exp, cvc } = values as { number?: string; exp?: string; cvc?: string };
  const body = { client_secret, number, exp, cvc };
  const fits = hasField("payment_method_id", "string");
  const { data } = await send(call, { method: "POST", path: "/stripe/sandbox-card", body, fits, ...forBuyer(user_id) });
  return { payment_method_id: (data as { payment_method_id: string }).payment_method_id };
}

/** Puts the bank's question and passes the viewer's answer to the sandbox. */
async function confirm({ order_id, user_id }: Args<"payments.confirm">, call: Call): Promise<null> {
  if (call.account.paymentSecret(order_id) === null) await getOrder(order_id, call, user_id);
  const client_secret = call.account.paymentSecret(order_id);
  if (client_secret === null) {
    throw new PortError({ code: "nothing_to_confirm", message: "This payment is not awaiting bank confirmation." });
  }
  const accept = await call.account.confirmPayment(order_id, call.signal);
  // Stripe's script answered the bank; the order reports the result.
  if (accept === "settled") return null;
  if (accept === "unanswered") {
    throw new PortError({ code: "unanswered", message: "The bank's question wasn't answered.", retryable: true });
  }
  const body = { client_secret, accept };
  const path = "/stripe/sandbox-confirm";
  await send(call, { method: "POST", path, body, repeatable: true, ...forBuyer(user_id) });
  return null;
}

type WireCard = Card & { last4?: string };

/** Lists cards without their last digits, which go to the account port. */
async function listCards(_: object, call: Call) {
  const { data } = await send(call, { method: "GET", path: "/stripe/list-cards", fits: Array.isArray });
  const cards = data as WireCard[];
  call.account.setLastDigits(Object.fromEntries(cards.map(({ id, last4 }) => [id, last4 ?? ""])));
  return cards.map((card) => withoutPersonal<Card>(card));
}

/** Stores the payments and refunds in the account port. */
async function listTransactions(_: object, call: Call) {
  const { data } = await send(call, { method: "GET", path: "/transactions", fits: Array.isArray });
  const lines = data as Transaction[];
  call.account.setTransactions(lines);
  return { total: lines.length };
}

export const cards: Endpoints<CardMethod> = {
  "api.listCards": listCards,
  "api.listTransactions": listTransactions,
  "api.getCustomerPortal": (_, call) => read<{ url: string }>(call, "/stripe/customer-portal"),
  "api.useCard": changeAnswer("subscription/use_card"),
  "api.saveCard": changeAnswer("save-card"),
  "api.removeCard": changeAnswer("remove-card"),
  "payments.createCard": createCard,
  "payments.confirm": confirm,
};
