import { expect, type Page } from "@playwright/test";

/** What the browser's outbox holds: how many analytics wait, and the browser's analytics key. */
export const readOutbox = (page: Page): Promise<{ readonly waiting: number; readonly profile: string | null }> =>
  page.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const database = await done(indexedDB.open("touchline-state"));
    const outbox = database.transaction("outbox").objectStore("outbox");
    const waiting = await done(outbox.count(IDBKeyRange.bound("analytics/", "analytics0")));
    const identity = (await done(outbox.get("analytics-identity"))) as { readonly profile?: string } | undefined;
    database.close();
    return { waiting, profile: identity?.profile ?? null };
  });

/** The analytics that wait in the browser to be sent. */
export const waitingAnalytics = async (page: Page): Promise<number> => (await readOutbox(page)).waiting;

/** The browser's lasting analytics key, which stands in each of its rows; it is drawn as the first of them is sent. */
export async function analyticsProfile(page: Page): Promise<string> {
  let key: string | null = null;
  await expect
    .poll(async () => {
      key = (await readOutbox(page)).profile;
      return key;
    }, "this browser's analytics key")
    .not.toBeNull();
  return key as unknown as string;
}
