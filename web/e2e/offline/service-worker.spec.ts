import type { Page } from "@playwright/test";
import { expect, untilServed } from "../support/journey";
import { test } from "../support/proxyJourney";
import { readRecords } from "../support/records";
import { PAID_EVENT, pressPay, register } from "../support/viewer";

/** A team that isn't the viewer's favourite. */
const OTHER_TEAM = 118;

interface Item {
  readonly id: string;
  readonly payload: { readonly favoritable_id: number };
}

/** The favourites and clips waiting in the browser's outbox. */
const waiting = (page: Page): Promise<Item[]> =>
  page.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const database = await done(indexedDB.open("touchline-state"));
    const range = IDBKeyRange.bound("waiting/", "waiting0");
    const waiting = await done(database.transaction("outbox").objectStore("outbox").getAll(range));
    database.close();
    return (waiting as { item: Item }[]).map(({ item }) => item);
  });

/** Leaves an item in the outbox, like a page that closed before any message. */
const leaveItem = (page: Page, item: Item): Promise<void> =>
  page.evaluate(async (leftItem) => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open("touchline-state");
      opening.onsuccess = () => resolve(opening.result);
      opening.onerror = () => reject(opening.error);
    });
    const transaction = database.transaction("outbox", "readwrite");
    transaction.objectStore("outbox").put({ place: 1_000, item: leftItem }, `waiting/${leftItem.id}`);
    await new Promise((resolve) => {
      transaction.oncomplete = resolve;
    });
    database.close();
    navigator.serviceWorker.controller?.postMessage({ type: "outbox-left" });
  }, item);

test("a service worker withdraws nothing from a buyer, and leaves the outbox to the leading page", async ({
  page,
  context,
  between,
  worker,
}) => {
  const main = page.getByRole("main");
  await page.goto("/");
  await untilServed(page);
  // A visitor's answers are cached.
  await page.goto(PAID_EVENT);
  await expect(main.getByRole("heading", { level: 1 })).toBeVisible();
  await register(page);
  await pressPay(page);
  await expect(page.getByText("Paid. Enjoy the game.")).toBeVisible({ timeout: 20_000 });
  await page.goto(PAID_EVENT);
  await expect(main.getByRole("button", { name: "Watch live" })).toBeVisible();

  const heart = main.getByRole("button", { name: /^Add to favourites/ });
  await expect(heart.first()).toBeVisible();
  const sent: string[] = [];
  between.answer = ({ method, url, headers }) => {
    if (method === "POST" && url === "/api/favorite") sent.push(String(headers["idempotency-key"]));
    return null;
  };
  const first = between.hold("/api/favorite");
  await heart.first().click();
  await first.answered;
  await heart.first().click();
  await expect.poll(async () => (await waiting(page)).length).toBe(2);
  const [item] = await waiting(page);
  if (!item) throw new Error("nothing is waiting");
  await leaveItem(page, { ...item, id: crypto.randomUUID(), payload: { ...item.payload, favoritable_id: OTHER_TEAM } });
  // Time for the service worker's check of the lock.
  await page.waitForTimeout(3_000);
  expect(sent).toHaveLength(1);
  first.release();
  await expect.poll(() => readRecords(worker.data).favourites.length, { timeout: 30_000 }).toBe(3);
  await expect.poll(async () => (await waiting(page)).length).toBe(0);
  expect(sent).toHaveLength(3);
  expect(new Set(sent).size).toBe(3);

  await context.setOffline(true);
  await page.reload();
  await expect(page.getByText("You’re offline")).toBeVisible();
  // Owned content waits for the network; other content would be offered for sale.
  await expect(main.getByRole("button", { name: "Connection required" })).toBeVisible();
  await expect(main.getByRole("link", { name: /^Buy for/ })).toHaveCount(0);
});
