import type { Page } from "@playwright/test";
import { expect, untilServed } from "../support/journey";
import { portal, test } from "../support/proxyJourney";

/** A recording: each page rereads it. */
const EVENT = "/watch/25";

/** A page shows stored data of an event before the channel has answered: waits until the answer itself is cached. */
const untilCached = (page: Page, path: string) =>
  expect
    .poll(() => page.evaluate(async (url) => (await caches.match(url)) !== undefined, path), { timeout: 15_000 })
    .toBe(true);

test("a captive portal's page neither hides stored data nor gets stored", async ({ page, between }) => {
  const main = page.getByRole("main");
  const heading = main.getByRole("heading", { level: 1 });
  await page.goto("/");
  await untilServed(page);
  await expect(page.locator("#root").getByRole("link", { name: "All live" })).toBeVisible();
  // A portal's page is passed on if nothing is cached.
  between.answer = portal;
  const read = await page.evaluate(async () => {
    const answer = await fetch("/api/events/25", { headers: { accept: "application/json" } });
    return { status: answer.status, type: answer.headers.get("content-type") };
  });
  expect(read).toEqual({ status: 200, type: "text/html" });
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Packages" }).click();
  // The screen's files were stored with the shell: the portal's page takes the place of none.
  await expect(main.getByRole("heading", { name: "Packages" }).first()).toBeVisible();
  between.answer = () => null;
  await page.goto("/packages");
  await expect(main.getByRole("heading", { name: "Packages" }).first()).toBeVisible();

  await page.goto(EVENT);
  await expect(heading).toBeVisible();
  const title = await heading.innerText();
  await untilCached(page, "/api/events/25");
  // The event appears as it does without a network.
  between.answer = portal;
  await page.reload();
  await expect(page.getByText("We can’t reach the channel.")).toBeVisible();
  await expect(heading).toHaveText(title);
  await expect(page.getByText("Something went wrong.")).toHaveCount(0);
  between.answer = () => null;
  await page.reload();
  await expect(heading).toHaveText(title);
  await expect(page.getByText("We can’t reach the channel.")).toHaveCount(0);
});
