// People and their records, in one file that is written before each answer.
import { randomBytes, randomUUID, scryptSync } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { accountsOf } from "./catalogue.mjs";

const hash = (password) => scryptSync(password, "plain", 16, { N: 256 }).toString("hex");

const EMPTY = { next: 1, keys: {}, users: [], orders: [], clips: [], favourites: [], cards: {}, charges: [] };

export class State {
  constructor(path, paidAfterMs) {
    this.path = path;
    this.paidAfterMs = paidAfterMs;
    this.it = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : structuredClone(EMPTY);
    if (this.it.users.length === 0)
      for (const account of accountsOf()) this.addUser({ ...account, email_verified: true });
    this.it.anchor ??= Math.floor(Date.now() / 900_000) * 900;
    this.save();
  }

  save() {
    writeFileSync(`${this.path}.new`, JSON.stringify(this.it));
    renameSync(`${this.path}.new`, this.path);
  }

  id() {
    return this.it.next++;
  }

  addUser({ email, password, first_name, last_name, temporary_password = false, email_verified = false }) {
    const user = { id: 700 + this.id(), email, password: hash(password), first_name, last_name, phone: "" };
    this.it.users.push({ ...user, temporary_password, email_verified, trial_period_used: false });
    return this.it.users.at(-1);
  }

  issueKey(user = null) {
    const key = randomBytes(24).toString("base64url");
    this.it.keys[key] = user?.id ?? 0;
    this.save();
    return key;
  }

  /** The key's user: null for a visitor's key, undefined for an invalid one. */
  userOf(key) {
    const id = this.it.keys[key];
    return id === undefined ? undefined : (this.it.users.find((user) => user.id === id) ?? null);
  }

  login(email, password) {
    const user = this.it.users.find((it) => it.email.toLowerCase() === String(email).toLowerCase());
    return user && user.password === hash(String(password)) ? user : null;
  }

  setPassword(user, password) {
    user.password = hash(password);
    user.temporary_password = false;
  }

  /** Orders become paid after a while, on the next read; each is charged once. */
  settle() {
    let changed = false;
    for (const order of this.it.orders) {
      // The bank waits for the viewer's answer.
      if (order.next_action) continue;
      if (order.status !== "created" || Date.now() - Date.parse(order.created_at) < this.paidAfterMs) continue;
      const declined = order.card === "4000000000000002";
      order.status = declined ? "failed" : "paid";
      order.activity_status = declined ? "inactive" : "active";
      if (declined) order.failure = "Your card was declined.";
      else this.it.charges.push({ order: order.id, amount: order.total });
      changed = true;
    }
    for (const clip of this.it.clips) {
      const age = Date.now() - Date.parse(clip.created_at);
      const status = age < this.paidAfterMs / 2 ? "queued" : age < this.paidAfterMs ? "processing" : "ready";
      if (clip.status !== status) [clip.status, changed] = [status, true];
    }
    if (changed) this.save();
  }

  /** Applies the viewer's answer to their bank. */
  answerBank(order, accepts) {
    delete order.next_action;
    if (!accepts) Object.assign(order, { status: "failed", failure: "The bank did not let the payment pass." });
    this.save();
  }

  ordersOf(user) {
    this.settle();
    return this.it.orders.filter((order) => order.user === user?.id);
  }

  ownedBy(user) {
    return this.ordersOf(user).filter((order) => order.status === "paid" && order.activity_status === "active");
  }

  uuid() {
    return randomUUID();
  }
}
