import type { Id } from "../contracts/resources";
import { queued } from "../storage/queued";
import type { KeyValue } from "./database";

/** The keys that this browser holds. One record, so that a key and whose it is can never disagree. */
export interface StoredKeys {
  channel_key: string | null;
  api_key: string | null;
  /** Whose the API key is; null for an anonymous one. */
  user_id: Id | null;
}

const NONE: StoredKeys = { channel_key: null, api_key: null, user_id: null };
const RECORD = "keys";

/** The keys of this browser, shared by its tabs and its service worker. */
export interface Keys {
  read(): Promise<StoredKeys>;
  /**
   * Changes them, one change at a time across tabs. `change` sees what is stored now, which another tab may just have
   * written, and gives what is to be stored; giving back what it was given changes nothing.
   */
  change(change: (stored: StoredKeys) => StoredKeys): Promise<StoredKeys>;
}

export interface KeysParts {
  database: KeyValue;
  /** Told after each change that this page made. */
  changed(before: StoredKeys, after: StoredKeys): void;
}

export function createKeys({ database, changed }: KeysParts): Keys {
  // Where the browser refuses to store (a private window, a full disk) the keys live as long as the page.
  let unstored: StoredKeys | null = null;
  const one = queued();

  async function read(): Promise<StoredKeys> {
    if (unstored) return unstored;
    return (await database.getItem<StoredKeys>(RECORD).catch(() => null)) ?? NONE;
  }

  /** In one transaction: other tabs change them too. */
  async function store(change: (stored: StoredKeys) => StoredKeys): Promise<StoredKeys> {
    let before = unstored ?? NONE;
    let after: StoredKeys | null = null;
    const decide = (stored: StoredKeys): StoredKeys => {
      before = stored;
      after = change(stored);
      return after;
    };
    try {
      await database.update([RECORD], ([stored]) => {
        const now = decide(unstored ?? (stored as StoredKeys | undefined) ?? NONE);
        return new Map(now === before ? [] : [[RECORD, now]]);
      });
      const now = after ?? before;
      if (now !== before) unstored = null;
    } catch {
      const now = after ?? decide(before);
      if (now !== before) unstored = now;
    }
    const now = after ?? before;
    if (now !== before) changed(before, now);
    return now;
  }

  return { read, change: (change) => one(() => store(change)) };
}
