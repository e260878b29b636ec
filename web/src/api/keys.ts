import type { Id } from "../contracts/resources";
import { queued } from "../storage/queued";
import type { KeyValue } from "./database";

/** This browser's keys. One record, so that a key and its person can't disagree. */
export interface StoredKeys {
  channel_key: string | null;
  api_key: string | null;
  /** The API key's person; null for an anonymous key. */
  user_id: Id | null;
  /** Time of issue of an anonymous key, in Unix milliseconds. Absent if it never expires. */
  issued_at?: number;
}

const NONE: StoredKeys = { channel_key: null, api_key: null, user_id: null };
const RECORD = "keys";

/** This browser's keys, shared by its tabs and its service worker. */
export interface Keys {
  read(): Promise<StoredKeys>;
  /**
   * Updates the keys, one update at a time across tabs. `change` maps the stored keys, which another tab may just have
   * written, to the new ones; returning its argument changes nothing.
   */
  change(change: (stored: StoredKeys) => StoredKeys): Promise<StoredKeys>;
}

export interface KeysDeps {
  database: KeyValue;
  /** Called after each change by this page. */
  changed(before: StoredKeys, after: StoredKeys): void;
}

export function createKeys({ database, changed }: KeysDeps): Keys {
  // If the browser refuses to store (private window, full disk), the keys live as long as the page.
  let unstored: StoredKeys | null = null;
  const one = queued();

  async function read(): Promise<StoredKeys> {
    if (unstored) return unstored;
    return (await database.getItem<StoredKeys>(RECORD).catch(() => null)) ?? NONE;
  }

  /** Runs in one transaction, since other tabs change the keys too. */
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
