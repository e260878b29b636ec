import type { Page } from "@playwright/test";
import { test } from "./support/between";
import { readKept } from "./support/books";
import { expect, untilServed } from "./support/journey";
import { register } from "./support/viewer";

const OUTBOX_TAG = "touchline-outbox";

/** Has the browser tell the service worker that it may send what waits, as it does by itself when a network comes back. */
async function wakeServiceWorker(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const registered = new Promise<string>((found) => {
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations: [registration] }) => {
      if (registration) found(registration.registrationId);
    });
  });
  await session.send("ServiceWorker.enable");
  const origin = new URL(page.url()).origin;
  const sync = { origin, registrationId: await registered, tag: OUTBOX_TAG, lastChance: false };
  await session.send("ServiceWorker.dispatchSyncEvent", sync);
}

/** Who else waits to send what the viewer did, while the page does. */
const waiting = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const { pending = [] } = await navigator.locks.query();
    return pending.filter(({ name }) => name === "touchline-outbox").length;
  });

test("a service worker that is woken while a page sends waits for it, and nothing goes out twice", async ({
  page,
  between,
  worker,
}) => {
  await page.goto("/");
  await untilServed(page);
  await register(page);
  await page.goto("/watch/25");
  const hearts = page.getByRole("main").getByRole("button", { name: /^Add to favourites/ });
  await expect(hearts.first()).toBeVisible();
  const sent: string[] = [];
  between.answer = ({ method, url, headers }) => {
    if (method === "POST" && url === "/api/favorite") sent.push(String(headers["idempotency-key"]));
    return null;
  };
  const first = between.hold("/api/favorite");
  await hearts.first().click();
  await first.given;
  await hearts.first().click();
  await wakeServiceWorker(page);
  await expect.poll(() => waiting(page)).toBe(1);
  first.release();
  await expect.poll(() => readKept(worker.data).favourites.length).toBe(2);
  await expect.poll(() => waiting(page)).toBe(0);
  expect(sent).toHaveLength(2);
  expect(new Set(sent).size).toBe(2);
});
