// The API calls that the product makes.

export class Refused extends Error {
  constructor(status, code, message) {
    super(message);
    Object.assign(this, { status, code });
  }
}

const missing = (id) => new Refused(404, "resource_missing", `No such object: '${id}'`);
const unexpected = (message) => new Refused(400, "payment_intent_unexpected_state", message);

/** The operations: each maps parameters and the path's id to an object. */
export function callsOf(books, billing, emit, plan) {
  const get = (id, kind) => {
    const object = books.objects.get(id);
    if (!object || object.object !== kind || object.deleted) throw missing(id);
    return object;
  };
  /** A page of a list, newest first. */
  const list = (data, { limit = 10, starting_after, created } = {}) => {
    const since = created?.gte ?? 0;
    const newest = data.filter((it) => it.created === undefined || it.created >= since).reverse();
    const from = starting_after ? newest.findIndex(({ id }) => id === starting_after) + 1 : 0;
    const rest = newest.slice(from);
    const pageSize = Math.min(limit, plan().page ?? 100);
    return { object: "list", url: "", has_more: rest.length > pageSize, data: rest.slice(0, pageSize) };
  };
  /** The objects of one owner if the request names one, else all. */
  const of = (kind, field, value) => (value === undefined ? books.all(kind) : books.of(kind, field, value));
  const ofCustomer = (id, customer) => {
    const method = get(id, "payment_method");
    if (method.customer !== customer) throw new Refused(400, null, "The payment method is not the customer's.");
  };
  const create = (kind, prefix) => (fields) => {
    if (fields.id && books.objects.has(fields.id)) {
      throw new Refused(400, "resource_already_exists", "It exists.");
    }
    return books.add(kind, prefix, fields);
  };
  return {
    "POST /v1/customers": (fields) => books.add("customer", "cus", fields),
    "DELETE /v1/customers/:id": (_, id) => {
      const customer = get(id, "customer");
      for (const subscription of books.of("subscription", "customer", id)) billing.end(subscription);
      for (const method of books.of("payment_method", "customer", id))
        books.save(Object.assign(method, { customer: null }));
      books.save({ ...customer, deleted: true });
      return { id, object: "customer", deleted: true };
    },
    "GET /v1/customers/:id/payment_methods": (fields, id) => {
      get(id, "customer");
      return list(books.of("payment_method", "customer", id), fields);
    },
    "POST /v1/setup_intents": ({ customer, usage }) => {
      get(customer, "customer");
      const intent = books.add("setup_intent", "seti", { customer, usage, status: "requires_payment_method" });
      intent.client_secret = `${intent.id}_secret_${books.count}`;
      books.save(intent);
      return intent;
    },
    "POST /v1/payment_methods/:id/detach": (_, id) => {
      const method = get(id, "payment_method");
      method.customer = null;
      books.save(method);
      return method;
    },
    "POST /v1/billing_portal/sessions": ({ customer, return_url }) => {
      const session = books.add("billing_portal.session", "bps", { customer, return_url: return_url ?? null });
      session.url = `${billing.origin}/portal/${session.id}`;
      books.save(session);
      return session;
    },
    "POST /v1/payment_intents": (fields) => {
      ofCustomer(fields.payment_method, fields.customer);
      return billing.intent(fields);
    },
    "GET /v1/payment_intents": (fields) => list(of("payment_intent", "customer", fields.customer), fields),
    "GET /v1/payment_intents/:id": (_, id) => get(id, "payment_intent"),
    "POST /v1/payment_intents/:id/confirm": ({ payment_method, return_url }, id) => {
      const intent = get(id, "payment_intent");
      if (!["requires_confirmation", "requires_payment_method"].includes(intent.status)) {
        throw unexpected(`You cannot confirm this PaymentIntent because it has a status of ${intent.status}.`);
      }
      ofCustomer(payment_method, intent.customer);
      billing.confirm(intent, payment_method, false, return_url);
      return intent;
    },
    "POST /v1/payment_intents/:id/cancel": (_, id) => {
      const intent = get(id, "payment_intent");
      if (billing.invoiceOf(intent)) throw unexpected("This PaymentIntent is an invoice's: void the invoice instead.");
      if (["succeeded", "canceled"].includes(intent.status)) throw unexpected(`It is ${intent.status}.`);
      intent.status = "canceled";
      intent.canceled_at = books.now();
      books.save(intent);
      emit("payment_intent.canceled", intent);
      return intent;
    },
    "POST /v1/products": create("product", "prod"),
    "POST /v1/coupons": create("coupon", "co"),
    "POST /v1/subscriptions": (fields) => {
      get(fields.items[0].price_data.product, "product");
      ofCustomer(fields.default_payment_method, fields.customer);
      return billing.subscribe(fields);
    },
    "GET /v1/subscriptions": (fields) => {
      const all = of("subscription", "customer", fields.customer);
      return list(fields.status === "all" ? all : all.filter(({ status }) => status !== "canceled"), fields);
    },
    "GET /v1/subscriptions/:id": (_, id) => get(id, "subscription"),
    "POST /v1/subscriptions/:id": (fields, id) => {
      const subscription = get(id, "subscription");
      if (subscription.status === "canceled")
        throw new Refused(400, null, "A canceled subscription cannot be changed.");
      if (fields.cancel_at !== undefined && fields.cancel_at_period_end !== undefined)
        throw new Refused(400, null, "You may only specify one of these parameters: cancel_at, cancel_at_period_end.");
      Object.assign(subscription, fields, fields.cancel_at === "" && { cancel_at: null });
      books.save(subscription);
      emit("customer.subscription.updated", subscription);
      return subscription;
    },
    "DELETE /v1/subscriptions/:id": (_, id) => {
      const subscription = get(id, "subscription");
      if (subscription.status === "canceled") throw missing(id);
      // Its customer answers the bank just before.
      if (plan().approves) for (const intent of billing.intentsOf(subscription)) billing.authenticate(intent, true);
      billing.end(subscription);
      return subscription;
    },
    "GET /v1/invoices": (fields) => list(books.of("invoice", "of", fields.subscription), fields),
    "POST /v1/invoices/:id/pay": ({ payment_method }, id) => {
      const invoice = get(id, "invoice");
      if (invoice.status !== "open") throw new Refused(400, "invoice_not_open", "Invoice is already paid");
      billing.pay(invoice, payment_method);
      return invoice;
    },
    "POST /v1/refunds": ({ payment_intent, amount, metadata }) => {
      const intent = get(payment_intent, "payment_intent");
      const charge = books.objects.get(intent.latest_charge);
      if (!charge) throw new Refused(400, null, "The PaymentIntent has no successful charge.");
      if (charge.disputed) throw new Refused(400, "charge_disputed", "Charge has been charged back.");
      const remaining = charge.amount - charge.amount_refunded;
      if (remaining === 0) throw new Refused(400, "charge_already_refunded", "Charge has already been refunded.");
      if ((amount ?? remaining) > remaining)
        throw new Refused(400, null, "Refund amount is greater than unrefunded amount.");
      const refund = books.add("refund", "re", {
        amount: amount ?? remaining,
        currency: intent.currency,
        payment_intent,
        charge: charge.id,
        status: "succeeded",
        metadata: metadata ?? {},
      });
      charge.amount_refunded += refund.amount;
      charge.refunded = charge.amount_refunded === charge.amount;
      books.save(charge);
      emit("refund.created", refund);
      emit("charge.refunded", charge);
      return refund;
    },
    "GET /v1/refunds": (fields) => list(of("refund", "payment_intent", fields.payment_intent), fields),
    "GET /v1/disputes": (fields) => list(of("dispute", "payment_intent", fields.payment_intent), fields),
  };
}
