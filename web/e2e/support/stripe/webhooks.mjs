// Webhooks: signed, and duplicated, late, out of order or never sent, as the test plans.
import { createHmac } from "node:crypto";
import { request } from "node:http";
import { presented, VERSION } from "./objects.mjs";

/** Maximum number of listed events. */
const MAX_EVENTS = 2000;

export function signature(secret, body, at) {
  return `t=${at},v1=${createHmac("sha256", secret).update(`${at}.${body}`).digest("hex")}`;
}

/** Posts a body; returns the answer's status, or 0 without one. */
export function post(url, body, headers) {
  return new Promise((resolve) => {
    const sent = request(url, { method: "POST", headers: { "content-type": "application/json", ...headers } });
    sent.on("response", (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode));
      response.on("error", () => resolve(0));
    });
    sent.on("error", () => resolve(0));
    sent.setTimeout(10_000, () => sent.destroy());
    sent.end(body);
  });
}

export class Webhooks {
  constructor(books, draw) {
    Object.assign(this, {
      books,
      draw,
      url: undefined,
      secret: "",
      plan: {},
      waiting: 0,
      sent: 0,
      count: 0,
      events: [],
    });
  }

  /** Sends an object's current state. */
  emit(type, object) {
    this.count += 1;
    const event = {
      id: `evt_${this.books.count}_${this.count}_${process.pid}`,
      object: "event",
      api_version: VERSION,
      created: this.books.now(),
      livemode: false,
      pending_webhooks: 1,
      request: null,
      type,
      data: { object: presented(object) },
    };
    this.events.push(event);
    if (this.events.length > MAX_EVENTS) this.events.shift();
    if (!this.url) return;
    const { never = 0, doubled = 0, late_ms = 0 } = this.plan;
    if (this.draw() < never) return;
    const body = JSON.stringify(event);
    const copies = this.draw() < doubled ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) this.later(body, this.draw() * late_ms, 0);
  }

  later(body, wait, attempt) {
    this.waiting += 1;
    setTimeout(async () => {
      const at = this.books.now();
      const status = await post(this.url, body, { "stripe-signature": signature(this.secret, body, at) });
      this.waiting -= 1;
      this.sent += 1;
      if (status !== 200 && attempt < 60) this.later(body, 250, attempt + 1);
    }, wait);
  }
}
