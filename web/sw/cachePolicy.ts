import type { WorkboxPlugin } from "workbox-core";
import type { StoredKeys } from "../src/api";
import { audienceOf, cacheCopy, cacheKeyOf } from "./catalogue";

/** Reads this browser's keys; null without any. */
export type ReadKeys = () => Promise<StoredKeys | null>;

/**
 * Caches answers of the channel's API by audience. An answer is given only to the audience that requested it: an
 * anonymous copy would tell a viewer that they own nothing, so a signed-in viewer waits for the channel.
 */
export function cachePolicy(readKeys: ReadKeys): WorkboxPlugin {
  /** Whether the answer isn't personal. A personal one belongs to the key of its request. */
  async function isForAll({ url }: Request): Promise<boolean> {
    const { pathname, searchParams } = new URL(url);
    const audience = audienceOf(pathname);
    if (audience !== "anonymous") return audience === "everyone";
    const keys = await readKeys().catch(() => null);
    return keys !== null && keys.user_id === null && keys.api_key === searchParams.get("api_key");
  }
  return {
    cacheKeyWillBeUsed: async ({ request }) => cacheKeyOf(request.url),
    cacheWillUpdate: async ({ request, response }) =>
      response.status === 200 && (await isForAll(request)) ? cacheCopy(response) : null,
    // Its request is the cached one, which has no key.
    cachedResponseWillBeUsed: async ({ event, cachedResponse }) =>
      cachedResponse && (await isForAll((event as FetchEvent).request)) ? cachedResponse : null,
  };
}
