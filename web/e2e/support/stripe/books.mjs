// The provider's books: every object by its id, on disk before each answer, so that a kill loses nothing.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { make, packed, unpacked } from "./objects.mjs";

/** Indexed fields per kind of object. */
const INDEXED = {
  payment_intent: ["customer", "client_secret"],
  setup_intent: ["client_secret"],
  payment_method: ["customer"],
  subscription: ["customer", "status"],
  invoice: ["of", "paid_by", "status"],
  refund: ["payment_intent"],
  dispute: ["payment_intent"],
};

/** A seeded generator of numbers from 0 to 1. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export class Books {
  constructor(file) {
    this.file = file;
    this.objects = new Map();
    /** Ids by kind, and by kind, field and value. */
    this.kinds = new Map();
    this.found = new Map();
    /** The values under which an object is indexed in `found`. */
    this.standing = new Map();
    this.keys = new Map();
    this.count = 0;
    this.offset = 0;
    if (file && existsSync(file)) for (const line of readFileSync(file, "utf8").split("\n")) this.replay(line);
  }

  replay(line) {
    // The last line of a killed provider may be torn.
    if (!line.endsWith("}")) return;
    const { object, key, of, offset, count } = JSON.parse(line);
    if (object) this.place(unpacked(object));
    if (key) this.keys.set(key, { ...of, body: unpacked(of.body) });
    if (offset !== undefined) this.offset = offset;
    if (count !== undefined) this.count = count;
  }

  write(...entries) {
    if (this.file) appendFileSync(this.file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  }

  /** Unix seconds by the provider's clock. */
  now() {
    return Math.floor(Date.now() / 1000) + this.offset;
  }

  setOffset(offset) {
    this.offset = offset;
    this.write({ offset });
  }

  add(kind, prefix, fields) {
    this.count += 1;
    const id = fields.id ?? `${prefix}_${this.count}`;
    const common = { id, object: kind, created: this.now(), livemode: false };
    const template = make(kind, {});
    const defaults = Object.fromEntries(Object.entries(common).filter(([name]) => name in template));
    const object = { ...template, ...defaults, ...fields, id };
    this.save(object);
    return object;
  }

  save(object) {
    this.place(object);
    this.write({ object: packed(object), count: this.count });
  }

  place(object) {
    const { id, object: kind } = object;
    this.objects.set(id, object);
    idsOf(this.kinds, kind).add(id);
    const before = this.standing.get(id) ?? [];
    const now = (INDEXED[kind] ?? []).map((field) => indexKey(kind, field, object[field]));
    now.forEach((place, index) => {
      if (place === before[index]) return;
      if (before[index]) idsOf(this.found, before[index]).delete(id);
      idsOf(this.found, place).add(id);
    });
    this.standing.set(id, now);
  }

  remember(key, of) {
    this.keys.set(key, of);
    this.write({ key, of: { ...of, body: packed(of.body) } });
  }

  /** The answer to an idempotency key; it is forgotten after 24 hours. */
  answerTo(key) {
    const of = this.keys.get(key);
    return of && this.now() - of.at < 86_400 ? of : undefined;
  }

  /** Every object of a kind, oldest first. */
  all(kind) {
    return this.take(this.kinds.get(kind));
  }

  /** The objects of a kind whose field has this value; the field must be indexed. */
  of(kind, field, value) {
    if (!INDEXED[kind]?.includes(field)) throw new Error(`${kind} has no index on ${field}`);
    return this.take(this.found.get(indexKey(kind, field, value)));
  }

  take(ids = []) {
    return [...ids].map((id) => this.objects.get(id));
  }
}

const indexKey = (kind, field, value) => `${kind}/${field}/${value}`;

function idsOf(map, key) {
  let ids = map.get(key);
  if (!ids) {
    ids = new Set();
    map.set(key, ids);
  }
  return ids;
}
