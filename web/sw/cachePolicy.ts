import type { WorkboxPlugin } from "workbox-core";
import type { StoredKeys } from "../src/api";
import { audienceOf, keptCopy, keptUnder } from "./catalogue";

/** Reads the keys that this browser holds; null: there are none. */
export type ReadKeys = () => Promise<StoredKeys | null>;

/**
 * What is kept of the channel's API, and for whom. An answer is given to whoever asked: what is kept for nobody would tell
 * a viewer that they own nothing, so that one who is logged in waits for the channel.
 */
export function keeping(readKeys: ReadKeys): WorkboxPlugin {
  /** Whether an answer to this request is not one person's. It belongs to the key that it was asked with. */
  async function isForAll({ url }: Request): Promise<boolean> {
    const { pathname, searchParams } = new URL(url);
    const audience = audienceOf(pathname);
    if (audience !== "anonymous") return audience === "everyone";
    const keys = await readKeys().catch(() => null);
    return keys !== null && keys.user_id === null && keys.api_key === searchParams.get("api_key");
  }
  return {
    cacheKeyWillBeUsed: async ({ request }) => keptUnder(request.url),
    cacheWillUpdate: async ({ request, response }) =>
      response.status === 200 && (await isForAll(request)) ? keptCopy(response) : null,
    // Its request is the one that it is kept under, which has no key.
    cachedResponseWillBeUsed: async ({ event, cachedResponse }) =>
      cachedResponse && (await isForAll((event as FetchEvent).request)) ? cachedResponse : null,
  };
}
