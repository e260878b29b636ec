import { DAY } from "../lib/time";
import { PortError } from "../ports/error";
import { type Exchange, RETRY_DELAY_MS } from "./exchange";
import { faultyKey, noApiKey } from "./failure";
import type { Keys, StoredKeys } from "./keys";
import type { Exclusive } from "./lock";
import { pause } from "./timer";

/** Fetches keys when there are none, and drops those that the worker rejects. */
export interface Keyring {
  channelKey(): Promise<string>;
  /** Returns keys that include an API key: the stored one or a fresh anonymous one. */
  withApiKey(): Promise<StoredKeys & { api_key: string }>;
  /** Replaces an anonymous key that soon counts as old, before a social login that is bound to it leaves the site. */
  renewEarly(): Promise<void>;
  /** Drops the API key if it is still `faulty`; returns whether it was. */
  dropApiKey(faulty: string): Promise<boolean>;
  /** Drops both keys if the API key is still `faulty`; returns whether a user was signed out by it. */
  dropBoth(faulty: string | null): Promise<boolean>;
  /** Held from the start of a login or logout until its new key is stored: the worker revokes the old key earlier. */
  readonly rotating: Exclusive;
}

/** Age from which an anonymous key is replaced, long before it expires. */
const RENEWAL_AGE_MS = 30 * DAY;

export interface KeyringDeps {
  keys: Keys;
  now(): number;
  exchange: Exchange;
  /** The page's host name, which identifies the channel. */
  hostname: string;
  /** Held while an API key is fetched, so that several tabs request only one. */
  fetching: Exclusive;
  /** {@link Keyring.rotating} across tabs. */
  rotating: Exclusive;
}

const hasApiKey = (stored: StoredKeys): stored is StoredKeys & { api_key: string } => stored.api_key !== null;

function textField(data: unknown, field: string): string {
  const value = typeof data === "object" && data !== null ? (data as { [name: string]: unknown })[field] : undefined;
  if (typeof value !== "string" || value === "") throw noApiKey();
  return value;
}

export function createKeyring({ keys, now, exchange, hostname, fetching, rotating }: KeyringDeps): Keyring {
  let renewal: Promise<void> | null = null;

  async function channelKey(): Promise<string> {
    const stored = await keys.read();
    if (stored.channel_key !== null) return stored.channel_key;
    const path = `/keys/${encodeURIComponent(hostname)}.json`;
    const { data } = await exchange({ method: "GET", path, public: true, fromOrigin: true, bare: true }, null);
    const channel_key = textField(data, "channel_key");
    await keys.change((now) => ({ ...now, channel_key }));
    return channel_key;
  }

  async function fetchApiKey(): Promise<string> {
    const body = { channel_key: await channelKey() };
    const { data } = await exchange(
      { method: "POST", path: "/get_api_key", body, public: true, repeatable: true },
      null,
    );
    return textField(data, "api_key");
  }

  async function freshApiKey(): Promise<string> {
    try {
      return await fetchApiKey();
    } catch (error) {
      if (!(error instanceof PortError) || faultyKey(error) !== "channel_key") throw error;
    }
    await dropBoth(null);
    await pause(RETRY_DELAY_MS);
    return fetchApiKey();
  }

  /** Whether the key is anonymous and old, or dated by a clock that was set back since. */
  const isOld = ({ user_id, issued_at }: StoredKeys, age = RENEWAL_AGE_MS): boolean =>
    user_id === null && issued_at !== undefined && Math.abs(now() - issued_at) >= age;

  /** Replaces an old anonymous key. It keeps working, so that calls in progress and a failure do no harm. */
  const renew = (age = RENEWAL_AGE_MS): Promise<void> =>
    rotating(() =>
      fetching(async () => {
        const old = await keys.read();
        if (!isOld(old, age)) return;
        const api_key = await freshApiKey();
        await keys.change((here) => (here.api_key === old.api_key ? { ...here, api_key, issued_at: now() } : here));
      }),
    ).catch(() => undefined);

  async function withApiKey(): Promise<StoredKeys & { api_key: string }> {
    const stored = await keys.read();
    if (hasApiKey(stored)) {
      if (isOld(stored)) renewal ??= renew();
      return stored;
    }
    return fetching(async () => {
      const found = await keys.read();
      if (hasApiKey(found)) return found;
      const api_key = await freshApiKey();
      // Someone may have logged in meanwhile; their key wins over an anonymous one.
      const here = await keys.change((here) =>
        hasApiKey(here) ? here : { ...here, api_key, user_id: null, issued_at: now() },
      );
      if (!hasApiKey(here)) throw noApiKey();
      return here;
    });
  }

  async function dropApiKey(faulty: string): Promise<boolean> {
    let dropped = false;
    await keys.change((now) => {
      dropped = now.api_key === faulty;
      return dropped ? { ...now, api_key: null, user_id: null } : now;
    });
    return dropped;
  }

  async function dropBoth(faulty: string | null): Promise<boolean> {
    let droppedUser = false;
    await keys.change((now) => {
      const isFaulty = now.api_key === faulty;
      droppedUser = isFaulty && now.user_id !== null;
      return isFaulty ? { channel_key: null, api_key: null, user_id: null } : now;
    });
    return droppedUser;
  }

  const renewEarly = (): Promise<void> => renew(RENEWAL_AGE_MS - DAY);

  return { channelKey, withApiKey, renewEarly, dropApiKey, dropBoth, rotating };
}
