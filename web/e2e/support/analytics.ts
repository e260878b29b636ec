import { expect, type Page } from "@playwright/test";

/** The browser's outbox: the number of waiting analytics, and the browser's analytics key. */
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

/** The number of analytics waiting in the browser. */
export const waitingAnalytics = async (page: Page): Promise<number> => (await readOutbox(page)).waiting;

/** The browser's permanent analytics key, which is in each of its rows; drawn when the first of them is sent. */
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
