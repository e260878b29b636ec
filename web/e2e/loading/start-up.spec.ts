import { expect } from "@playwright/test";
import { test } from "../support/proxyJourney";

test.use({ sharesWorker: true });

test("a channel that gives no key offers Reload after a minute, and is back with it (START-5, ERR-2)", async ({
  page,
  between,
}) => {
  await page.clock.install();
  const broken = { status: 500, headers: { "content-type": "application/json" }, body: '{"message":"no"}' };
  between.answer = ({ url = "" }) => (/get_api_key|\/keys\//.test(url) ? broken : null);
  await page.goto("/");
  const reload = page.getByRole("button", { name: /^Reload/ });
  await page.clock.runFor(3_000);
  await expect(
    page.getByText("Apologies! Our service is currently experiencing technical difficulties."),
  ).toBeVisible();
  await expect(reload).toBeDisabled();
  await expect(reload).toHaveText(/Reload in \d+ s/);
  await page.clock.runFor(61_000);
  await expect(reload).toBeEnabled();
  between.answer = () => null;
  await reload.click();
  await page.clock.runFor(3_000);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
});

test("the site is there in French too, and stays so for 360 days (START-7, LIM-2)", async ({ page }) => {
  await page.goto("/schedule");
  await page
    .getByRole("button", { name: "Français" })
    .or(page.getByRole("link", { name: "Français" }))
    .first()
    .click();
  await expect(page.getByRole("heading", { level: 1, name: "Calendrier" })).toBeVisible();
  await page.reload();
  await expect(page.getByRole("heading", { level: 1, name: "Calendrier" })).toBeVisible();
  // What was chosen is kept under the site's own name.
  const databases = await page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name));
  expect(databases).toContain("touchline-state");
  await page.clock.install({ time: Date.now() + 359 * 86_400_000 });
  await page.goto("/faq");
  await expect(page.getByRole("heading", { level: 1, name: "Questions et réponses" })).toBeVisible();
  await page.clock.setSystemTime(Date.now() + 361 * 86_400_000);
  await page.goto("/about");
  await page.goto("/faq");
  await expect(page.getByRole("heading", { level: 1, name: "Questions and answers" })).toBeVisible();
});

test("a link opens a popup of the channel by its name (PAGE-3)", async ({ page }) => {
  await page.goto("/?modal=welcome");
  const popup = page.getByRole("dialog", { name: "The winter pass is here" });
  await expect(popup).toBeVisible();
  await popup.getByRole("link", { name: "See the pass" }).click();
  await expect(page).toHaveURL(/select-package\/1/);
});
