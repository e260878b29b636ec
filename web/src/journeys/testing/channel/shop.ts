import { DONE, notFound, type Operations, personOf, type Request, refuse } from "./request";

// Orders, cards and subscriptions.

const BRANDS: { readonly [first: string]: string } = { "4": "visa", "5": "mastercard" };

/** Turns a card's numbers into a payment method. */
function createCard(request: Request) {
  personOf(request);
  const { body, state } = request;
  const number = String(body.number).replaceAll(" ", "");
  const [month = 0, year = 0] = String(body.exp).split("/").map(Number);
  const id = `pm_${state.nextId()}`;
  state.orders.methods.set(id, {
    id,
    brand: BRANDS[number[0] ?? ""] ?? "visa",
    last4: number.slice(-4),
    exp_month: month,
    exp_year: 2_000 + year,
  });
  return { payment_method_id: id };
}

/** The card that a request names: a saved one, or a newly entered one, which is saved now. */
function namedCard(request: Request, isDefault?: boolean) {
  const person = personOf(request);
  const id = request.body.payment_method_id;
  const card =
    person.cards.find((one) => one.id === id) ??
    request.state.orders.methods.get(id) ??
    refuse(400, "card_not_selected", "Please select one of your saved cards or enter new one.");
  request.state.orders.saveCard(person, card, isDefault);
  return card;
}

function startTrial(request: Request) {
  const person = personOf(request);
  const { state, body, idempotencyKey } = request;
  const subscription = state.catalogue.subscriptions.find(({ id }) => id === body.subscription_id) ?? notFound();
  const isRepeated = state.orders.all.some(({ key }) => key === idempotencyKey);
  if (!isRepeated && person.trial_period_used)
    refuse(400, "trial_used", "You have already used your free trial.", "subscription_id");
  const wanted = { ...body, id: subscription.id };
  return state.orders.place(person, "subscription", idempotencyKey, wanted, subscription.trial_period);
}

const renewal = (request: Request) => request.state.orders.subscribed(personOf(request), request.body.subscription_id);

export const shop: Operations = {
  "GET /api/orders": (request) => request.state.orders.of(personOf(request)),
  "GET /api/orders/{id}": (request) =>
    request.state.orders.of(personOf(request)).find(({ id }) => id === Number(request.params.id)) ?? notFound(),
  "GET /api/transactions": (request) => request.state.orders.transactions(personOf(request)),
  "GET /api/apply_coupon": ({ state, query }) => {
    const code = query.get("promo_code") ?? "";
    const { product: _, ...sum } = state.orders.quote(query.get("type"), query.get("id"), code);
    return { code: code.trim().toUpperCase(), ...sum };
  },
  "POST /api/stripe/buy": (request) =>
    request.state.orders.place(personOf(request), request.body.type, request.idempotencyKey, request.body),
  "POST /api/stripe/subscription/start_trial": startTrial,
  "POST /api/stripe/setup-intent": (request) => ({
    client_secret: `seti_${personOf(request).id}_secret_${request.state.nextId()}`,
  }),
  "POST /api/stripe/sandbox-card": createCard,
  "POST /api/stripe/sandbox-confirm": (request) => {
    request.state.orders.confirm(personOf(request), request.body.client_secret, request.body.accept === true);
    return DONE;
  },
  "GET /api/stripe/list-cards": (request) =>
    personOf(request).cards.toSorted((a, b) => Number(b.is_default ?? false) - Number(a.is_default ?? false)),
  "POST /api/stripe/save-card": (request) => {
    namedCard(request, request.body.is_default ?? undefined);
    return DONE;
  },
  "POST /api/stripe/remove-card": (request) => {
    const person = personOf(request);
    person.cards = person.cards.filter(({ id }) => id !== request.body.payment_method_id);
    return DONE;
  },
  "POST /api/stripe/unsubscribe": (request) =>
    request.state.orders.resubscribe(renewal(request), { status: "canceled", auto_renew: "cancelled" }),
  "POST /api/stripe/subscription/resume": (request) =>
    request.state.orders.resubscribe(renewal(request), { status: "active", auto_renew: "active" }),
  "POST /api/stripe/subscription/use_card": (request) =>
    request.state.orders.resubscribe(renewal(request), { payment_method_id: namedCard(request).id }),
};
