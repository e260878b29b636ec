import type { components } from "../../../contracts/generated/openapi";
import type { Catalogue } from "./catalogue";
import { channelClock } from "./clock";

type Schemas = components["schemas"];

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** A person with an account, and all their data except orders. */
export interface Person {
  readonly id: number;
  email: string;
  password: string;
  first_name: string;
  last_name: string;
  phone: string;
  email_verified: boolean;
  temporary_password: boolean;
  trial_period_used: boolean;
  capabilities: string[];
  favourites: Schemas["Favorite"][];
  positions: Schemas["PlaybackPosition"][];
  cards: Schemas["Card"][];
  devices: (Schemas["Device"] & { key: string })[];
  logins: Schemas["LinkedLogin"][];
  clips: Schemas["Clip"][];
}

/** An email from the channel. */
export interface Email {
  readonly to: string;
  readonly subject: string;
  /** Path of its link. */
  readonly link: string | null;
}

/** Capabilities of a new account (channel.json). */
const CAPABILITIES = ["watch", "clipping", "download_clip", "vod_media"];

const isoNow = (): string => new Date().toISOString();
const isSame = (one: string, other: unknown): boolean => one.toLowerCase() === String(other).toLowerCase();

/** The channel's accounts, their keys and their mail. */
export class People {
  readonly all: Person[] = [];
  readonly mail: Email[] = [];
  /** The person of each API key; null for a visitor's. */
  readonly keys = new Map<string, Person | null>();
  /** The keys of devices that wait to be signed in, by their displayed code. */
  readonly codes = new Map<string, string>();
  private readonly links = new Map<
    string,
    { email: string; expires: number; kind: string; used: boolean; to: string }
  >();
  private count = 0;

  constructor(
    private readonly nextId: () => number,
    accounts: Catalogue["accounts"],
  ) {
    for (const account of accounts) this.add({ ...account, email_verified: true });
  }

  add(account: Credentials & Partial<Person>): Person {
    const person: Person = {
      first_name: "",
      last_name: "",
      phone: "",
      email_verified: false,
      temporary_password: false,
      trial_period_used: false,
      capabilities: [...CAPABILITIES],
      favourites: [],
      positions: [],
      cards: [],
      devices: [],
      logins: [],
      clips: [],
      ...account,
      id: 700 + this.nextId(),
    };
    this.all.push(person);
    return person;
  }

  byEmail(email: unknown): Person | undefined {
    return this.all.find((person) => isSame(person.email, email));
  }

  /** Issues a new key in place of `old`. */
  issueKey(person: Person | null, old?: string, device = "Chrome on Linux"): string {
    this.count += 1;
    const key = `fake-api-key-${this.count}-${(this.count * 7_919).toString(36)}`;
    if (old !== undefined) this.revoke(old);
    this.keys.set(key, null);
    if (person) this.attach(key, person, device);
    return key;
  }

  /** Signs the holder of the key in as `person`. */
  attach(key: string, person: Person, device: string): void {
    this.keys.set(key, person);
    const at = isoNow();
    person.devices.push({ id: this.nextId(), name: device, created_at: at, last_seen_at: at, current: false, key });
  }

  revoke(key: string): void {
    const person = this.keys.get(key);
    if (person) person.devices = person.devices.filter((device) => device.key !== key);
    this.keys.delete(key);
  }

  /** Mails a signed link of a kind, such as `verify-email`. `changesTo`: the address that applies once it is opened. */
  mailLink(kind: string, person: Person, subject: string, changesTo = person.email): void {
    const signature = `signature-${this.nextId()}`;
    const expires = Math.floor(channelClock.now() / 1_000) + 86_400;
    this.links.set(signature, { email: changesTo, expires, kind, used: false, to: person.email });
    const query = new URLSearchParams({ email: changesTo, expires: String(expires), signature });
    this.mail.push({ to: changesTo, subject, link: `/${kind}?${query}` });
  }

  /** Opens a signed link: returns its owner, or the reason why it is invalid. */
  openLink(kind: string, { email, signature }: { email?: unknown; signature?: unknown }) {
    const link = this.links.get(String(signature));
    if (link === undefined || link.kind !== kind || !isSame(link.email, email)) return "forged" as const;
    if (link.expires * 1_000 < channelClock.now()) return "expired" as const;
    if (link.used) return "used" as const;
    const person = this.byEmail(link.to);
    if (person === undefined) return "nobody" as const;
    link.used = true;
    return { person, email: link.email };
  }

  remove(person: Person): void {
    for (const [key, whose] of this.keys) if (whose === person) this.keys.delete(key);
    this.all.splice(this.all.indexOf(person), 1);
  }
}

export const profileOf = (person: Person): Schemas["Profile"] => ({
  id: person.id,
  email: person.email,
  email_verified: person.email_verified,
  first_name: person.first_name,
  last_name: person.last_name,
  phone: person.phone,
  temporary_password: person.temporary_password,
  trial_period_used: person.trial_period_used,
  is_geo_blocked: false,
  capabilities: person.capabilities,
  featureCount: { clips: person.clips.length, downloads: 0 },
});
