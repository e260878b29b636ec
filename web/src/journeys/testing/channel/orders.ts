import type { components } from "../../../contracts/generated/openapi";
import { type Catalogue, type Event, isWithin, type Package } from "./catalogue";
import { channelClock } from "./clock";
import type { Person } from "./people";
import { type Body, notFound, Refusal, refuse } from "./request";

type Schemas = components["schemas"];
type Order = Schemas["Order"];
type Kind = Schemas["OrderType"];

/** Test cards of the sandbox: the first declines, the second requires the bank's confirmation. */
const DECLINED = "0002";
const ASKING = "3155";
const DECLINED_TEXT = "Your card was declined.";
/** Time between an order and its payment, in milliseconds. */
const PAYING_MS = 300;
const DAY_MS = 86_400_000;

interface Placed {
  readonly person: Person;
  readonly card: Schemas["Card"];
  /** The Idempotency-Key of its request. */
  readonly key: string;
  /** Its receipt number, once it is paid. */
  receipt: string | null;
  order: Order;
}

/** A charge, successful or refused. */
export interface Charge {
  readonly order_id: number;
  /** The order's Idempotency-Key: one key is charged once. */
  readonly key: string;
  readonly amount: number;
  readonly fee: number;
  readonly kind: "purchase" | "renewal" | "trial";
  readonly status: "succeeded" | "failed";
  readonly at: string;
  readonly card: Schemas["Card"];
}

const isoAt = (ms: number): string => new Date(ms).toISOString();
const NOUN: { readonly [kind in Kind]: string } = { event: "event", package: "package", subscription: "subscription" };

/** Offers, orders and charges. */
export class Orders {
  readonly all: Placed[] = [];
  readonly charges: Charge[] = [];
  /** Entered cards without an owner yet, by payment method. */
  readonly methods = new Map<string, Schemas["Card"]>();
  /** Called after each change of an order. */
  changed: (person: Person, order: Order) => void = () => undefined;
  /** Leaves orders open while true. */
  holdsPayments = false;
  private receipts = 0;

  constructor(
    private readonly nextId: () => number,
    private readonly catalogue: Catalogue,
  ) {}

  of(person: Person | null): Order[] {
    return this.all.filter((placed) => placed.person === person).map(({ order }) => order);
  }

  owned(person: Person | null): Order[] {
    return this.of(person).filter(({ status, activity_status }) => status === "paid" && activity_status === "active");
  }

  opens(person: Person | null, event: Event): boolean {
    if (event.access_type === "free") return true;
    if (person === null || !person.capabilities.some((one) => one === "watch")) return false;
    if (event.access_type === "register") return true;
    return this.owned(person).some((order) => this.orderOpens(order, event));
  }

  private orderOpens({ type, product }: Order, event: Event): boolean {
    if (type === "event") return product.id === event.id;
    if (event.access_type !== "paid") return false;
    if (type === "subscription") return true;
    const pass = this.catalogue.packages.find(({ id }) => id === product.id);
    if (pass === undefined) return false;
    if (pass.is_team_pass) return event.participants.some(({ id }) => id === product.participant_id);
    return isWithin(event.event_category_id, pass.event_categories);
  }

  /** The price of a product, with a promo code. */
  quote(kind: unknown, id: unknown, code: unknown) {
    const { events, packages, subscriptions, coupons } = this.catalogue;
    const list: { [kind: string]: readonly { id: number; name: string; base_price: number; service_fee: number }[] } = {
      event: events,
      package: packages,
      subscription: subscriptions,
    };
    const product = (list[String(kind)] ?? []).find((one) => one.id === Number(id)) ?? notFound();
    const entered = typeof code === "string" && code.trim() !== "" ? code.trim().toUpperCase() : null;
    const coupon = coupons.find((one) => one.code === entered);
    if (entered !== null && coupon === undefined) refuse(400, "wrong_promo_code", "Wrong promo code.", "promo_code");
    const { base_price, service_fee } = product;
    const off = coupon?.percent ? Math.round((base_price * coupon.percent) / 100) : (coupon?.amount ?? 0);
    const discount = Math.min(off, base_price);
    return { product, base_price, discount, service_fee, total: base_price - discount + service_fee, currency: "USD" };
  }

  /** An order for a product; a second request under its key gets the same one. */
  place(person: Person, kind: Kind, key: string | null, body: Body, trialDays = 0): Order {
    if (key === null) refuse(400, "validation", "The Idempotency-Key is missing.");
    const before = this.all.find((placed) => placed.key === key);
    if (before) return before.order;
    const { product, ...sum } = this.quote(kind, body.id, body.promo_code);
    const named = kind === "event" ? (product as Event).single_event_package_id : undefined;
    if (kind === "event" && body.single_event_package_id !== named) notFound();
    const team = kind === "package" ? this.teamOf(product as unknown as Package, body.participant_id) : undefined;
    const isOwned = this.all.some(
      ({ person: buyer, order }) =>
        buyer === person &&
        order.type === kind &&
        order.product.id === product.id &&
        order.product.participant_id === team &&
        (order.status === "created" || order.activity_status === "active"),
    );
    if (isOwned) refuse(400, "already_bought", `You already bought this ${NOUN[kind]}.`, "id");
    const asks = trialDays > 0 ? { ...sum, discount: sum.base_price, service_fee: 0, total: 0 } : sum;
    const renewal_price = kind === "subscription" ? sum.base_price + sum.service_fee : undefined;
    this.expectQuoted(body, asks, renewal_price, trialDays);
    const card =
      person.cards.find(({ id }) => id === body.payment_method_id) ??
      this.methods.get(body.payment_method_id) ??
      refuse(400, "card_not_selected", "Please select one of your saved cards or enter new one.");
    const paysAsking = card.last4 === ASKING && asks.total > 0;
    const end = isoAt(channelClock.now() + (trialDays || 30) * DAY_MS);
    const order: Order = {
      id: 9_000 + this.nextId(),
      type: kind,
      status: "created",
      activity_status: "inactive",
      product: {
        id: product.id,
        name: product.name,
        ...(kind === "event" && { event_category_id: (product as Event).event_category_id }),
        ...(team !== undefined && { participant_id: team }),
      },
      ...asks,
      created_at: isoAt(channelClock.now()),
      version: 1,
      ...(renewal_price !== undefined && {
        subscription: {
          status: "inactive",
          auto_renew: "active",
          current_period_end: end,
          ...(trialDays > 0 && { trial_end: end }),
          renewal_price,
          payment_method_id: card.id,
        },
      }),
      ...(paysAsking && { next_action: { type: "confirm", client_secret: `pi_${key}_secret_1` } }),
    };
    const placed: Placed = { person, card, key, receipt: null, order };
    this.all.unshift(placed);
    if (body.save_card === true || kind === "subscription") this.saveCard(person, card);
    if (!paysAsking) this.payLater(placed);
    return order;
  }

  private teamOf(pass: Package, team: unknown): number | undefined {
    if (!pass.is_team_pass) return undefined;
    if (!pass.participants?.some((id) => id === team))
      refuse(400, "validation", "Package is TeamPass but team not selected", "participant_id");
    return team as number;
  }

  /** Refuses a purchase quoted on outdated terms (PAY-10). */
  private expectQuoted(
    body: Body,
    now: { total: number },
    renewal_price: number | undefined,
    trial_days: number,
  ): void {
    const isOther =
      (body.expected_total !== undefined && body.expected_total !== now.total) ||
      (body.expected_renewal_price !== undefined && body.expected_renewal_price !== renewal_price) ||
      (body.expected_trial_days !== undefined && body.expected_trial_days !== trial_days);
    if (!isOther) return;
    const price = {
      ...now,
      ...(renewal_price !== undefined && { renewal_price }),
      ...(trial_days > 0 && { trial_days }),
    };
    throw new Refusal(409, "price_changed", "The price has changed.", { price });
  }

  /** Saves a card for its owner. */
  saveCard(person: Person, card: Schemas["Card"], isDefault = person.cards.length === 0): void {
    if (!person.cards.some(({ id }) => id === card.id)) person.cards.push(card);
    if (isDefault) for (const one of person.cards) one.is_default = one === card;
  }

  private payLater(placed: Placed): void {
    setTimeout(() => {
      if (!this.holdsPayments) this.pay(placed);
    }, PAYING_MS);
  }

  /** Decides every open order that waits for nobody. */
  decide(status: "paid" | "failed"): void {
    for (const placed of this.all) {
      if (placed.order.status !== "created" || placed.order.next_action) continue;
      if (status === "paid") this.pay(placed);
      else this.fail(placed, DECLINED_TEXT);
    }
  }

  private pay(placed: Placed): void {
    const { order, card } = placed;
    if (order.status !== "created") return;
    if (card.last4 === DECLINED && order.total > 0) return this.fail(placed, DECLINED_TEXT);
    this.charge(placed, order.total === 0 ? "trial" : "purchase", "succeeded", order.total, order.service_fee);
    if (order.subscription?.trial_end) placed.person.trial_period_used = true;
    this.change(placed, {
      status: "paid",
      activity_status: "active",
      ...(order.subscription && { subscription: { ...order.subscription, status: "active" } }),
    });
  }

  private fail(placed: Placed, failure: string): void {
    placed.card.declined = true;
    this.charge(placed, "purchase", "failed", placed.order.total, placed.order.service_fee);
    this.change(placed, { status: "failed", failure });
  }

  private charge(placed: Placed, kind: Charge["kind"], status: Charge["status"], amount: number, fee: number): void {
    const { key, card, order } = placed;
    if (status === "succeeded" && amount > 0) placed.receipt = `2026-${String(++this.receipts).padStart(6, "0")}`;
    this.charges.push({ order_id: order.id, key, amount, fee, kind, status, at: isoAt(channelClock.now()), card });
  }

  /** Changes an order and notifies its listeners. */
  change(placed: Placed, to: Partial<Order>): void {
    const { next_action: _, ...order } = placed.order;
    placed.order = { ...order, ...to, version: order.version + 1 };
    this.changed(placed.person, placed.order);
  }

  /** The viewer's answer to the bank. */
  confirm(person: Person, secret: unknown, accepts: boolean): void {
    const needsConfirmation = ({ person: buyer, order }: Placed): boolean =>
      buyer === person && order.next_action?.client_secret === secret;
    const placed = this.all.find(needsConfirmation) ?? notFound();
    if (placed.order.status === "paid") return this.settleRenewal(placed, accepts);
    if (!accepts) return this.fail(placed, "The bank did not let the payment pass.");
    this.change(placed, {});
    this.payLater(placed);
  }

  /** Renews the running subscriptions; the bank asks for confirmation of cards that require it. */
  renew(): void {
    for (const placed of this.all) {
      const { subscription, activity_status } = placed.order;
      if (!subscription || activity_status !== "active") continue;
      if (placed.card.last4 !== ASKING) this.settleRenewal(placed, true);
      else
        this.change(placed, {
          subscription: { ...subscription, past_due: true },
          next_action: { type: "confirm", client_secret: `pi_renewal_${this.nextId()}_secret_1` },
        });
    }
  }

  /** Ends the subscriptions with unpaid renewals. */
  giveUpRenewals(): void {
    for (const placed of this.all) {
      const { subscription } = placed.order;
      if (!subscription?.past_due) continue;
      this.change(placed, {
        activity_status: "inactive",
        failure: "The payment was not confirmed.",
        subscription: { ...subscription, status: "expired", auto_renew: "cancelled", past_due: false },
      });
    }
  }

  private settleRenewal(placed: Placed, isPaid: boolean): void {
    const { subscription } = placed.order;
    if (!subscription) return;
    const { renewal_price, current_period_end } = subscription;
    this.charge(placed, "renewal", isPaid ? "succeeded" : "failed", renewal_price ?? 0, 0);
    if (!isPaid) return this.change(placed, { failure: "The bank did not let the payment pass." });
    const end = isoAt(Date.parse(current_period_end) + 30 * DAY_MS);
    this.change(placed, { subscription: { ...subscription, past_due: false, current_period_end: end } });
  }

  /** The running order of a subscription. */
  subscribed(person: Person, subscriptionId: unknown): Placed {
    const isIt = ({ person: buyer, order }: Placed): boolean =>
      buyer === person && order.type === "subscription" && order.product.id === subscriptionId;
    return this.all.find(isIt) ?? notFound();
  }

  /** Changes the state of a subscription. */
  resubscribe(placed: Placed, to: Partial<Schemas["SubscriptionState"]>): Order {
    const { subscription } = placed.order;
    if (subscription) this.change(placed, { subscription: { ...subscription, ...to } });
    return placed.order;
  }

  /** A person's charges as lines, newest first. */
  transactions(person: Person): Schemas["Transaction"][] {
    const lines = this.charges.flatMap(({ order_id, kind, status, at, amount, fee, card }, index) => {
      const placed = this.all.find(({ order, person: buyer }) => order.id === order_id && buyer === person);
      if (!placed) return [];
      const { order } = placed;
      return {
        id: `c${index + 1}`,
        kind,
        status,
        at,
        order_id,
        type: order.type,
        product: order.product,
        amount,
        fee,
        discount: kind === "purchase" ? order.discount : 0,
        currency: order.currency,
        // The channel stores no charge of a refused first payment, and so no card.
        ...(!(status === "failed" && kind === "purchase") && { card_brand: card.brand, card_last4: card.last4 }),
        ...(status === "failed" && { failure: DECLINED_TEXT }),
        ...(status === "succeeded" && placed.receipt !== null && { receipt: placed.receipt }),
        refunded: 0,
      };
    });
    return lines.reverse();
  }
}
