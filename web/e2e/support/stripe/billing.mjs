// Renewals by the provider's clock: subscriptions and their invoices.
import { Declined, Intents } from "./intents.mjs";

const RETRY_DAYS = [1, 2, 2, 2];
const DAY = 86_400;
const RUNNING = ["active", "trialing"];

export class Billing extends Intents {
  invoiceOf(intent) {
    return this.books.of("invoice", "paid_by", intent.id)[0];
  }

  intentsOf(subscription) {
    return this.books
      .of("invoice", "of", subscription.id)
      .flatMap(({ paid_by }) => this.books.objects.get(paid_by) ?? []);
  }

  succeeded(intent) {
    const invoice = this.invoiceOf(intent);
    if (invoice) this.paid(invoice);
  }

  refused(intent) {
    const invoice = this.invoiceOf(intent);
    if (invoice) this.emit("invoice.payment_failed", invoice);
  }

  subscribe(fields) {
    const { books } = this;
    const now = books.now();
    const [{ price_data: price }] = fields.items;
    const trial = fields.trial_period_days ? now + fields.trial_period_days * DAY : null;
    const subscription = books.add("subscription", "sub", {
      customer: fields.customer,
      currency: price.currency,
      default_payment_method: fields.default_payment_method ?? null,
      metadata: fields.metadata ?? {},
      status: trial ? "trialing" : "incomplete",
      trial_start: trial && now,
      trial_end: trial,
      start_date: now,
      billing_cycle_anchor: trial ?? now,
    });
    const end = trial ?? periodEnd(now, now, price.recurring);
    subscription.price = price;
    subscription.items = { object: "list", has_more: false, url: "", data: [] };
    const item = books.add("subscription_item", "si", {
      current_period_start: now,
      current_period_end: end,
      subscription: subscription.id,
    });
    item.price = { id: `price_${books.count}` };
    item.plan = { id: `price_${books.count}` };
    subscription.items.data.push(item);
    const coupon = fields.discounts?.[0]?.coupon && books.objects.get(fields.discounts[0].coupon);
    const amount = trial ? 0 : price.unit_amount - (coupon?.amount_off ?? 0);
    books.save(subscription);
    this.emit("customer.subscription.created", subscription);
    this.invoice(subscription, "subscription_create", amount, [now, end]);
    return subscription;
  }

  invoice(subscription, reason, amount, [start, end]) {
    const { books } = this;
    const invoice = books.add("invoice", "in", {
      amount_due: amount,
      amount_remaining: amount,
      total: amount,
      subtotal: amount,
      billing_reason: reason,
      currency: subscription.currency,
      customer: subscription.customer,
      period_start: start,
      period_end: end,
      status: "open",
      lines: { object: "list", has_more: false, url: "", data: [] },
      parent: {
        type: "subscription_details",
        quote_details: null,
        subscription_details: { subscription: subscription.id, metadata: subscription.metadata },
      },
    });
    const line = books.add("line_item", "il", {
      amount,
      currency: subscription.currency,
      invoice: invoice.id,
      period: { start, end },
    });
    invoice.lines.data.push(line);
    invoice.of = subscription.id;
    if (amount > 0) {
      const { customer, currency, default_payment_method } = subscription;
      const intent = this.intent({ amount, currency, customer, payment_method: default_payment_method });
      invoice.paid_by = intent.id;
    }
    subscription.latest_invoice = invoice.id;
    books.save(invoice);
    books.save(subscription);
    if (amount === 0) this.paid(invoice);
    return invoice;
  }

  paid(invoice) {
    const subscription = this.books.objects.get(invoice.of);
    Object.assign(invoice, {
      status: "paid",
      amount_paid: invoice.amount_due,
      amount_remaining: 0,
      next_payment_attempt: null,
    });
    this.books.save(invoice);
    if (subscription.status !== "trialing") subscription.status = "active";
    this.books.save(subscription);
    this.emit("invoice.paid", invoice);
    this.emit("customer.subscription.updated", subscription);
  }

  /** Tries to pay an invoice without its customer. */
  pay(invoice, card) {
    const { books } = this;
    const subscription = books.objects.get(invoice.of);
    const intent = books.objects.get(invoice.paid_by);
    invoice.attempt_count += 1;
    invoice.attempted = true;
    try {
      this.confirm(intent, card ?? subscription.default_payment_method, true);
    } catch (error) {
      if (!(error instanceof Declined)) throw error;
      const days = RETRY_DAYS[invoice.attempt_count - 1];
      invoice.next_payment_attempt =
        days && card === undefined ? books.now() + days * DAY : invoice.next_payment_attempt;
      if (days === undefined) {
        invoice.next_payment_attempt = null;
        this.end(subscription);
      } else subscription.status = "past_due";
      books.save(invoice);
      books.save(subscription);
      this.emit("invoice.payment_failed", invoice);
      if (intent.status === "requires_action") this.emit("invoice.payment_action_required", invoice);
      this.emit("customer.subscription.updated", subscription);
      throw error;
    }
  }

  end(subscription) {
    if (subscription.status === "canceled") return;
    Object.assign(subscription, { status: "canceled", canceled_at: this.books.now(), ended_at: this.books.now() });
    this.books.save(subscription);
    for (const invoice of this.books.of("invoice", "of", subscription.id).filter(({ status }) => status === "open")) {
      invoice.status = "void";
      this.books.save(invoice);
      const intent = this.books.objects.get(invoice.paid_by);
      if (intent && intent.status !== "succeeded") {
        intent.status = "canceled";
        this.books.save(intent);
      }
    }
    this.emit("customer.subscription.deleted", subscription);
  }

  /** Renews due subscriptions by the provider's clock. */
  tick() {
    const now = this.books.now();
    const tries = (invoice) => {
      try {
        this.pay(invoice);
      } catch (error) {
        if (!(error instanceof Declined)) throw error;
      }
    };
    for (const invoice of this.books.of("invoice", "status", "open")) {
      if (invoice.next_payment_attempt !== null && invoice.next_payment_attempt <= now) tries(invoice);
    }
    for (const subscription of RUNNING.flatMap((status) => this.books.of("subscription", "status", status))) {
      const [item] = subscription.items.data;
      while (item.current_period_end <= now && RUNNING.includes(subscription.status)) {
        const end = subscription.cancel_at ?? Number.POSITIVE_INFINITY;
        if (subscription.cancel_at_period_end || end <= item.current_period_end) {
          this.end(subscription);
          break;
        }
        const start = item.current_period_end;
        item.current_period_start = start;
        item.current_period_end = periodEnd(subscription.billing_cycle_anchor, start, subscription.price.recurring);
        subscription.status = "active";
        const span = [start, item.current_period_end];
        tries(this.invoice(subscription, "subscription_cycle", subscription.price.unit_amount, span));
      }
    }
  }
}

/**
 * The end of the period that starts at `start`: months are counted from the anchor, so that a short one doesn't shift
 * later ones.
 */
function periodEnd(anchor, start, { interval, interval_count: count }) {
  if (interval === "day") return start + count * DAY;
  for (let months = count; ; months += count) {
    const end = new Date(anchor * 1000);
    end.setUTCMonth(end.getUTCMonth() + months);
    // 31 January and a month is the end of February.
    if (end.getUTCDate() !== new Date(anchor * 1000).getUTCDate()) end.setUTCDate(0);
    if (end.getTime() / 1000 > start) return Math.floor(end.getTime() / 1000);
  }
}
