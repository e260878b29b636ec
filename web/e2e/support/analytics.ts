import type { Page } from "@playwright/test";

/** The analytics that wait in the browser to be sent. */
export const waitingAnalytics = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const database = await done(indexedDB.open("touchline-state"));
    const range = IDBKeyRange.bound("analytics/", "analytics0");
    const count = await done(database.transaction("outbox").objectStore("outbox").count(range));
    database.close();
    return count;
  });
