import type { Id } from "../contracts/resources";
import type { KeyValue } from "./database";
import type { Exclusive } from "./lock";

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
  change(change: (stored: StoredKeys) => StoredKeys | Promise<StoredKeys>): Promise<StoredKeys>;
}

export interface KeysParts {
  database: KeyValue;
  exclusive: Exclusive;
  /** Told after each change that this page made. */
  changed(before: StoredKeys, after: StoredKeys): void;
}

export function createKeys({ database, exclusive, changed }: KeysParts): Keys {
  // Where the browser refuses to store (a private window, a full disk) the keys live as long as the page.
  let unstored: StoredKeys | null = null;

  async function read(): Promise<StoredKeys> {
    if (unstored) return unstored;
    return (await database.getItem<StoredKeys>(RECORD).catch(() => null)) ?? NONE;
  }

  return {
    read,
    change: (change) =>
      exclusive(async () => {
        const before = await read();
        const after = await change(before);
        if (after === before) return before;
        unstored = await database.setItem(RECORD, after).then(
          () => null,
          () => after,
        );
        changed(before, after);
        return after;
      }),
  };
}
