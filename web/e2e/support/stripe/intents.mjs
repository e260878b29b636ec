// Movements of money: payment intents and their charges.
import { part } from "./objects.mjs";

/** Numbers of test cards, and the result of their charges. */
export const CARDS = {
  4242424242424242: "pays",
  4000000000000341: "declines",
  4000000000000002: "declines",
  4000000000009995: "insufficient_funds",
  4000000000000069: "expired_card",
  4000000000000127: "incorrect_cvc",
  4000000000000101: "refused_at_entry",
  4000002500003155: "asks",
  4000000000003063: "asks_elsewhere",
};
const MESSAGES = {
  declines: ["card_declined", "Your card was declined."],
  insufficient_funds: ["card_declined", "Your card has insufficient funds."],
  expired_card: ["expired_card", "Your card has expired."],
  incorrect_cvc: ["incorrect_cvc", "Your card's security code is incorrect."],
  asks: [
    "invoice_payment_intent_requires_action",
    "This payment requires additional user action before it can be completed successfully.",
  ],
  unauthenticated: [
    "payment_intent_authentication_failure",
    "We are unable to authenticate your payment method. Please choose a different payment method and try again.",
  ],
};

export class Declined extends Error {
  constructor(kind, intent) {
    super(MESSAGES[kind][1]);
    [this.code] = MESSAGES[kind];
    this.intent = intent;
  }
}

export class Intents {
  constructor(books, emit) {
    this.books = books;
    this.emit = emit;
  }

  intent(fields) {
    const { books } = this;
    const intent = books.add("payment_intent", "pi", {
      amount: fields.amount,
      currency: fields.currency,
      customer: fields.customer,
      payment_method: fields.payment_method ?? null,
      description: fields.description ?? null,
      metadata: fields.metadata ?? {},
      payment_method_types: ["card"],
      setup_future_usage: fields.setup_future_usage ?? null,
      status: fields.payment_method ? "requires_confirmation" : "requires_payment_method",
    });
    intent.client_secret = `${intent.id}_secret_${books.count}`;
    intent.invoice_of = undefined;
    books.save(intent);
    this.emit("payment_intent.created", intent);
    return intent;
  }

  /** Moves an intent's money, once. */
  charge(intent, behaviour) {
    const { books } = this;
    const method = books.objects.get(intent.payment_method);
    const failure = behaviour === "pays" ? undefined : MESSAGES[behaviour];
    if (failure) {
      const [code, message] = failure;
      intent.status = "requires_payment_method";
      intent.last_payment_error = { type: "card_error", code, message };
      books.save(intent);
      this.emit("payment_intent.payment_failed", intent);
      throw new Declined(behaviour, intent);
    }
    const charge = books.add("charge", "ch", {
      amount: intent.amount,
      amount_captured: intent.amount,
      currency: intent.currency,
      customer: intent.customer,
      paid: true,
      captured: true,
      status: "succeeded",
      payment_intent: intent.id,
      payment_method: intent.payment_method,
      payment_method_details: {
        type: "card",
        card: part("charge", ["payment_method_details", "card"], cardOf(method)),
      },
      metadata: intent.metadata,
      billing_details: method.billing_details,
    });
    intent.status = "succeeded";
    intent.latest_charge = charge.id;
    intent.amount_received = intent.amount;
    intent.last_payment_error = null;
    intent.next_action = null;
    books.save(intent);
    this.emit("payment_intent.succeeded", intent);
    this.succeeded(intent);
  }

  confirm(intent, card, isOffSession = false, return_url = null) {
    intent.payment_method = card ?? intent.payment_method;
    const behaviour = this.books.objects.get(intent.payment_method)?.behaviour ?? "declines";
    if (!behaviour.startsWith("asks")) return this.charge(intent, behaviour);
    intent.status = "requires_action";
    // A bank's own page needs a return address, which nobody gives when the customer is absent.
    intent.next_action =
      isOffSession || behaviour === "asks"
        ? { type: "use_stripe_sdk", use_stripe_sdk: {} }
        : { type: "redirect_to_url", redirect_to_url: { url: `${this.origin}/bank/${intent.id}`, return_url } };
    this.books.save(intent);
    this.emit("payment_intent.requires_action", intent);
    if (isOffSession) throw new Declined("asks", intent);
  }

  /** Answers the bank's question. */
  authenticate(intent, accept) {
    if (intent.status !== "requires_action") return;
    try {
      this.charge(intent, accept ? "pays" : "unauthenticated");
    } catch (error) {
      if (!(error instanceof Declined)) throw error;
      this.refused(intent);
    }
  }

  /** Consequences elsewhere of an intent that its customer refused at the bank. */
  refused() {}

  /** Consequences elsewhere of a paid intent. */
  succeeded() {}
}

function cardOf({ card: { brand, last4, exp_month, exp_year, country, funding } }) {
  return { brand, last4, exp_month, exp_year, country, funding };
}
