// The tests' payment provider: implements the part of Stripe's API that the product uses, stores its state in a file,
// forgets idempotency keys after 24 hours of its clock, and fails as planned. It shares no code with the product.
//
// node provider.mjs [--port N] [--file STATE] [--child] prints `provider listening on http://127.0.0.1:PORT`
//
// Beside the API: /test/plan, /test/clock, /test/card, /test/answer, /test/dispute, /test/refund_fails, /test/tamper,
// /test/act, /test/events, /test/books.
import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { Billing } from "./billing.mjs";
import { Books, random } from "./books.mjs";
import { callsOf, Refused } from "./calls.mjs";
import { CARDS, Declined } from "./intents.mjs";
import { check, faultOf, operationOf, parse, part, presented } from "./objects.mjs";
import { pageAt } from "./pages.mjs";
import { Webhooks } from "./webhooks.mjs";

const { values } = parseArgs({
  options: { port: { type: "string", default: "0" }, file: { type: "string" }, child: { type: "boolean" } },
});
const books = new Books(values.file);
let draw = random(1);
const webhooks = new Webhooks(books, () => draw());
const emit = (type, object) => webhooks.emit(type, object);
const billing = new Billing(books, emit);
let plan = {};
const calls = callsOf(books, billing, emit, () => plan);
/** The product's requests that Stripe would reject, and this provider's answers that Stripe wouldn't give. */
const faults = [];
/** Idempotency keys in progress. */
const busy = new Set();

const failure = (status, type, code, message, more = {}) => ({
  status,
  body: { error: { type, code, message, ...more } },
});

/** Replaces ids with objects as the request's `expand` asks. */
function expanded(object, expand = []) {
  if (object.object === "list") {
    const within = expand.filter((path) => path.startsWith("data.")).map((path) => path.slice(5));
    return { ...object, data: object.data.map((entry) => expanded(entry, within)) };
  }
  if (object.deleted === true) return object;
  const answer = presented(object);
  if (expand.includes("latest_charge") && answer.latest_charge) {
    answer.latest_charge = presented(books.objects.get(answer.latest_charge));
  }
  if (expand.includes("payments")) {
    const data = object.paid_by ? [invoicePayment(object)] : [];
    answer.payments = { object: "list", url: "", has_more: false, data };
  }
  return answer;
}

const invoicePayment = (invoice) => ({
  id: `inpay_${invoice.id}`,
  object: "invoice_payment",
  amount_paid: invoice.amount_paid,
  amount_requested: invoice.amount_due,
  created: invoice.created,
  currency: invoice.currency,
  invoice: invoice.id,
  is_default: true,
  livemode: false,
  payment: { type: "payment_intent", payment_intent: invoice.paid_by },
  status: invoice.status === "paid" ? "paid" : "open",
  status_transitions: { canceled_at: null, paid_at: null },
});

function answerOf(operation, id, parameters) {
  const fault = faultOf(operation, parameters);
  if (fault) {
    faults.push(`${operation}: ${fault}`);
    return failure(400, "invalid_request_error", "parameter_unknown", fault);
  }
  try {
    const { expand, ...fields } = parameters;
    const body = expanded(calls[operation](fields, id), expand);
    check(body);
    return { status: 200, body };
  } catch (error) {
    if (error instanceof Declined) {
      const intent = presented(error.intent);
      return failure(402, "card_error", error.code, error.message, { payment_intent: intent });
    }
    if (error instanceof Refused) return failure(error.status, "invalid_request_error", error.code, error.message);
    faults.push(`${operation}: ${error.stack}`);
    return failure(500, "api_error", null, error.message);
  }
}

function api(request, path, text) {
  if (request.headers.authorization !== "Bearer sk_test_provider") {
    return failure(401, "invalid_request_error", null, "Invalid API Key provided");
  }
  const parameters = parse(text);
  const [operation, id] = operationOf(request.method, path);
  const key = request.headers["idempotency-key"];
  if (key === undefined) return answerOf(operation, id, parameters);
  const earlier = books.answerTo(key);
  if (earlier) {
    const same = earlier.text === text && earlier.path === path;
    return same
      ? earlier
      : failure(
          400,
          "idempotency_error",
          null,
          "Keys for idempotent requests can only be used with the same parameters.",
        );
  }
  const answer = answerOf(operation, id, parameters);
  if (answer.status !== 401) books.remember(key, { ...answer, text, path, at: books.now() });
  return answer;
}

/** The bank accepts a question, and its webhook is lost. */
function cross(client_secret) {
  const intent = books.of("payment_intent", "client_secret", client_secret)[0];
  if (intent?.status !== "requires_action") return;
  const planned = webhooks.plan;
  webhooks.plan = { never: 1 };
  billing.authenticate(intent, true);
  webhooks.plan = planned;
}

const tests = {
  /**
   * {seed, before, after, broken, breaks: [operation], in_use: [operation, once each], approves: what a DELETE of a
   * subscription crosses, crosses: client secret of a question that the bank accepts, without a webhook, once a list of
   * invoices was read, refuses, slow_ms, page: objects of a list, webhooks: {url, secret, never, doubled, late_ms}}
   */
  plan: (fields) => {
    plan = fields;
    draw = random(fields.seed ?? 1);
    const { url, secret, ...rest } = fields.webhooks ?? {};
    Object.assign(webhooks, { plan: rest }, url && { url, secret });
    return {};
  },
  /** {offset}: seconds from now; renews subscriptions due by then. */
  clock: ({ offset }) => {
    books.setOffset(offset);
    billing.tick();
    return { now: books.now() };
  },
  /** {client_secret, number, exp_year}: the effect of Stripe's script on a setup intent. */
  card: ({ client_secret, number, exp_year = 2040 }) => {
    const intent = books.of("setup_intent", "client_secret", client_secret)[0];
    const digits = String(number).replaceAll(" ", "");
    if (!intent || !CARDS[digits]) {
      return { error: { type: "card_error", code: "incorrect_number", message: "Your card number is incorrect." } };
    }
    if (CARDS[digits] === "refused_at_entry") {
      const message = "Your card's security code is incorrect.";
      return { error: { type: "card_error", code: "incorrect_cvc", message } };
    }
    const card = {
      brand: "visa",
      last4: digits.slice(-4),
      exp_month: 12,
      exp_year,
      // Stripe's depends on the number alone, but there are few test numbers.
      fingerprint: `${digits}${exp_year}`,
      funding: "credit",
      country: "US",
    };
    const billing_details = part("payment_method", ["billing_details"], {});
    const method = books.add("payment_method", "pm", {
      customer: intent.customer,
      type: "card",
      card: part("payment_method", ["card"], card),
      billing_details,
    });
    method.behaviour = CARDS[digits];
    books.save(method);
    Object.assign(intent, { status: "succeeded", payment_method: method.id });
    books.save(intent);
    return { payment_method: method.id };
  },
  /** {client_secret}: a payment intent as Stripe's script reads it. */
  intent: ({ client_secret }) => {
    const intent = books.of("payment_intent", "client_secret", client_secret)[0];
    return intent ? { id: intent.id, status: intent.status, next_action: intent.next_action } : null;
  },
  /** {client_secret, accept}: the bank's question. */
  answer: ({ client_secret, accept }) => {
    const intent = books.of("payment_intent", "client_secret", client_secret)[0];
    if (intent) billing.authenticate(intent, accept);
    return { status: intent?.status };
  },
  dispute: ({ payment_intent, status }) => {
    const intent = books.objects.get(payment_intent);
    const charge = books.objects.get(intent.latest_charge);
    const open = books.of("dispute", "payment_intent", payment_intent)[0];
    const { amount, currency } = intent;
    const dispute =
      open ??
      books.add("dispute", "dp", { amount, currency, payment_intent, charge: charge.id, status: "needs_response" });
    Object.assign(dispute, status && { status });
    charge.disputed = true;
    books.save(charge);
    books.save(dispute);
    emit(open ? "charge.dispute.closed" : "charge.dispute.created", dispute);
    return presented(dispute);
  },
  /** {payment_intent}: its last refund fails to reach the card, days after it was made. */
  refund_fails: ({ payment_intent }) => {
    const refund = books.of("refund", "payment_intent", payment_intent).at(-1);
    const charge = books.objects.get(refund.charge);
    Object.assign(refund, { status: "failed", failure_reason: "expired_or_canceled_card" });
    Object.assign(charge, { amount_refunded: charge.amount_refunded - refund.amount, refunded: false });
    books.save(refund);
    books.save(charge);
    emit("refund.failed", refund);
    return presented(refund);
  },
  /** {client_secret, fields}: replaces fields of an intent behind the product's back. */
  tamper: ({ client_secret, fields }) => {
    const intent = books.of("payment_intent", "client_secret", client_secret)[0];
    books.save(Object.assign(intent, fields));
    return {};
  },
  /** {operation, id, fields}: an action on the provider's own pages. */
  act: ({ operation, id, fields }) => presented(calls[operation](fields ?? {}, id)),
  /** All webhook events since the start, sent or not, oldest first. */
  events: () => webhooks.events,
  books: () => ({
    faults,
    waiting: webhooks.waiting,
    sent: webhooks.sent,
    intents: books.all("payment_intent").map(presented),
    refunds: books.all("refund").map(presented),
    subscriptions: books.all("subscription").map(presented),
    customers: books.all("customer").map((it) => ({ ...presented(it), deleted: it.deleted === true })),
    cards: books.all("payment_method").map(presented),
  }),
};

const server = createServer((request, response) => {
  const pieces = [];
  request.on("error", () => undefined);
  request.on("data", (piece) => pieces.push(piece));
  request.on("end", () => {
    const url = new URL(request.url, "http://provider");
    const body = Buffer.concat(pieces).toString();
    const send = ({ status, body: answer }) => {
      response.writeHead(status, { "content-type": "application/json", "access-control-allow-origin": "*" });
      response.end(JSON.stringify(answer));
    };
    if (url.pathname.startsWith("/test/")) {
      const act = tests[url.pathname.slice(6)];
      return send({ status: act ? 200 : 404, body: act ? act(body === "" ? {} : JSON.parse(body)) : {} });
    }
    const form = request.method === "POST" ? new URLSearchParams(body) : undefined;
    const page = pageAt(url.pathname, form, books, billing);
    if (page) {
      response.writeHead(page.to ? 303 : 200, page.to ? { location: page.to } : { "content-type": page.type });
      return response.end(page.text);
    }
    // A connection that closes before the call, a failing answer, one that nobody reads.
    if (draw() < (plan.before ?? 0)) return request.socket.destroy();
    if (plan.refuses) return send(failure(401, "invalid_request_error", null, "Invalid API Key provided"));
    const isBroken = plan.breaks?.includes(operationOf(request.method, url.pathname)[0]);
    if (isBroken || draw() < (plan.broken ?? 0)) return send(failure(503, "api_error", null, "Try again."));
    const key = request.headers["idempotency-key"];
    const inUse = plan.in_use?.indexOf(operationOf(request.method, url.pathname)[0]) ?? -1;
    if (inUse >= 0) plan.in_use.splice(inUse, 1);
    if (key !== undefined && (inUse >= 0 || busy.has(key)))
      return send(failure(409, "idempotency_error", "idempotency_key_in_use", "It is in use."));
    if (key !== undefined) busy.add(key);
    const text = request.method === "GET" ? url.search.slice(1) : body;
    const answer = api(request, url.pathname, text);
    if (plan.crosses !== undefined && url.pathname === "/v1/invoices") cross(plan.crosses);
    const is_lost = draw() < (plan.after ?? 0);
    setTimeout(
      () => {
        busy.delete(key);
        if (is_lost) request.socket.destroy();
        else send(answer);
      },
      draw() * (plan.slow_ms ?? 0),
    );
  });
});
// A provider started by a test ends with it, however the test ends.
if (values.child) process.stdin.resume().on("end", () => process.exit());
server.keepAliveTimeout = 60_000;
server.listen(Number(values.port), "127.0.0.1", () => {
  billing.origin = `http://127.0.0.1:${server.address().port}`;
  console.log(`provider listening on ${billing.origin}`);
});
