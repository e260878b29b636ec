import { spawnSync } from "node:child_process";
import type { Page } from "@playwright/test";
import { expect, test } from "../support/journey";
import { IN_FRONT_OF_PLAIN } from "../support/upstream";
import { CHOSEN_PASSWORD, PAID_EVENT, pressPay, register, VERA } from "../support/viewer";
import { BINARY } from "../support/worker";

/** A card whose bank asks the viewer before it pays. */
const ASKING_CARD = "4000002500003155";
/** The demo's account that was given a password by someone else. */
const TEMPORARY = { email: "temporary@northfield.example", password: "touchline" } as const;

interface Credentials {
  readonly email: string;
  readonly password: string;
}

async function logIn(page: Page, credentials: Credentials) {
  await page.goto("/login");
  await fillLogin(page, credentials);
}

async function fillLogin(page: Page, { email, password }: Credentials) {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole("main").getByRole("button", { name: "Log in" }).click();
}

test.describe("a bank that asks (PAY)", () => {
  test("is answered, and the payment goes on", async ({ page }) => {
    await register(page);
    await pressPay(page, PAID_EVENT, ASKING_CARD);
    const question = page.getByRole("dialog", { name: "Your bank wants to know" });
    await expect(question).toBeVisible();
    await question.getByRole("button", { name: "Yes, pay" }).click();
    await expect(page.getByText("Paid. Enjoy the game.")).toBeVisible({ timeout: 20_000 });
  });

  test("is refused, and nothing is bought", async ({ page }) => {
    await register(page);
    await pressPay(page, PAID_EVENT, ASKING_CARD);
    await page.getByRole("button", { name: "No, stop the payment" }).click();
    await expect(page.getByText("The payment failed")).toBeVisible({ timeout: 20_000 });
    await page.goto("/profile");
    await expect(page.getByText("No active orders")).toBeVisible();
  });
});

test("a free trial starts once, and its renewal can be stopped (SUB-3, SUB-4, CALL-6, USER-4)", async ({
  page,
  browser,
  worker,
}) => {
  test.skip(
    IN_FRONT_OF_PLAIN,
    "the plain API has no trials and cancels nothing, and erases its people by no verb of ours",
  );
  await register(page);
  await page.goto("/packages");
  await expect(page.getByRole("main").getByText("7 days free", { exact: true }).first()).toBeVisible();
  await page.getByRole("main").getByRole("link", { name: "Start the free trial" }).click();
  await expect(page.getByText("Due today")).toBeVisible();
  await page.getByLabel("Card number").fill(VERA.card);
  await page.getByLabel("Expires").fill("12/30");
  await page.getByLabel("Security code").fill("123");
  await page.getByRole("button", { name: "Start the free trial" }).click();
  await expect(page.getByText("Your free trial has started.")).toBeVisible({ timeout: 20_000 });
  await page.getByRole("link", { name: "See my orders" }).click();

  const order = page.getByRole("main");
  await expect(order.getByText(/^Free until .* First charge \$12\.99 then to Visa ending 4242/)).toBeVisible();
  await order.getByRole("button", { name: "Cancel subscription" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel subscription" }).click();
  await expect(order.getByText(/^It renews no more\./)).toBeVisible();
  await page.reload();
  await expect(order.getByText(/^Ends /)).toBeVisible();

  await page.goto("/packages");
  await expect(page.getByRole("main").getByText("Subscriptions")).toBeVisible();
  await expect(page.getByRole("link", { name: "Start the free trial" })).toHaveCount(0);

  // Whoever comes back with the address of an account that is gone owns nothing, and gets no second one.
  const erase = ["user", "erase", "--data", worker.data, "--channel", "northfield", "--email", VERA.email];
  const erased = spawnSync(BINARY, erase, { encoding: "utf8" });
  expect(erased.status, erased.stderr).toBe(0);
  const again = await browser.newPage({ baseURL: worker.origin });
  await register(again);
  await again.goto("/packages");
  const sold = again.locator('main a[href*="type="][href*="subscription_id=1"]');
  await expect(sold).toHaveAttribute("href", /[?&]type=subscription\b/);
  await expect(again.getByRole("link", { name: "Start the free trial" })).toHaveCount(0);
  await again.close();
});

test("a team pass is bought for the team that was chosen, and told with what it was worth (PKG-3, ANA-4, USER-4)", async ({
  page,
}) => {
  const told: { path: string; body: { event?: string; extras?: unknown } }[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/datalake/batch")) told.push(...(request.postDataJSON()?.events ?? []));
  });
  await register(page);
  await page.goto("/passes");
  await page.getByRole("main").getByRole("link", { name: "Choose the team" }).first().click();
  const main = page.getByRole("main");
  const search = main.getByRole("searchbox", { name: "Search a team" });
  await search.fill("eagles");
  await main.getByRole("button", { name: "Show all 24" }).click();
  await main.getByRole("button", { name: /^Basketball/ }).click();
  await search.fill("gulls");
  await expect(main.getByRole("status")).toHaveText("1 of 24 teams");
  await main.getByRole("radio", { name: /Harbor City Gulls/ }).check({ force: true });
  await main
    .getByRole("link", { name: /^Buy Harbor City for/ })
    .first()
    .click();
  await page.getByRole("button", { name: "Add a promo code" }).click();
  await page.getByLabel("Promo code").fill("NOSUCHCODE");
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(page.getByText("Wrong promo code.")).toBeVisible();
  await page.getByLabel("Promo code").fill("KICKOFF20");
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(page.getByText("20% off")).toBeVisible();
  await page.getByLabel("Card number").fill(VERA.card);
  await page.getByLabel("Expires").fill("12/30");
  await page.getByLabel("Security code").fill("123");
  // 49.00 less 20 %, and the fee of 3.50.
  await page.getByRole("button", { name: "Pay $42.70" }).click();
  await expect(page.getByText(/^Paid\./)).toBeVisible({ timeout: 20_000 });
  const sales = () => told.filter(({ body }) => body.event === "purchase").map(({ body }) => body.extras);
  await expect.poll(() => sales().length, { timeout: 20_000 }).toBe(1);
  expect(sales()[0]).toMatchObject({
    value: 4_900 - 980 + 350,
    tax: 350,
    discount: 980,
    currency: "USD",
    items: [{ id: 2, name: "Team pass", base_price: 4_900, event_category_id: null }],
  });
  await page.getByRole("link", { name: "See my orders" }).click({ timeout: 20_000 });
  await expect(
    page
      .getByRole("main")
      .getByText(/Team pass/)
      .first(),
  ).toBeVisible();
});

test("a temporary password keeps the viewer at their profile until they choose their own (NAV-1)", async ({ page }) => {
  await logIn(page, TEMPORARY);
  await expect(page).toHaveURL(/\/profile\/edit$/);
  await page.goto("/upcoming");
  await expect(page).toHaveURL(/\/profile\/edit$/);
  await page.getByLabel("Current password").fill(TEMPORARY.password);
  await page.getByLabel("New password").fill(CHOSEN_PASSWORD);
  await page.getByLabel("Password again").fill(CHOSEN_PASSWORD);
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Your profile was saved.")).toBeVisible();
  // At once, by the address: what was confirmed a moment ago is still so.
  await page.goto("/upcoming");
  await expect(page.getByRole("heading", { name: "Schedule" })).toBeVisible();
  await page.goto("/profile");
  await page.getByRole("main").getByRole("button", { name: "Log out" }).click();
  await expect(page.getByRole("link", { name: "Log in" }).first()).toBeVisible();
  await logIn(page, { email: TEMPORARY.email, password: CHOSEN_PASSWORD });
  await expect(page).not.toHaveURL(/\/login/);
});

test("a favourite stays over a reload, and is the viewer's alone (FAV)", async ({ page }) => {
  await register(page);
  await page.goto("/");
  const heart = page.getByRole("button", { name: /Northfield/ }).and(page.locator("[aria-pressed]"));
  const saved = page.waitForResponse((answer) => /\/api\/favorite\b/.test(answer.url()) && answer.ok());
  await heart.first().click();
  await saved;
  await page.reload();
  await expect(heart.first()).toHaveAttribute("aria-pressed", "true");
  await page.goto("/profile");
  const left = page.waitForResponse((answer) => answer.url().endsWith("/api/auth/logout"));
  await page.getByRole("main").getByRole("button", { name: "Log out" }).click();
  await left;
  await expect(page.getByRole("link", { name: "Log in" }).first()).toBeVisible();
  await page.goto("/");
  await expect(page.getByRole("heading", { name: "Schools" })).toBeVisible();
  await expect(page.locator("[aria-pressed=true]")).toHaveCount(0);
});
