import type { Page } from "@playwright/test";
import { expect } from "../support/journey";
import { kill } from "../support/killTab";
import { type Between, test } from "../support/proxyJourney";
import { readCharges } from "../support/records";
import { enterCard, PAID_EVENT, pressPay, register, VERA } from "../support/viewer";

// A tab is killed at the moments that random kills (tab-kills.spec.ts) seldom meet: an answer is held back
// here, and the kill falls into the middle of it.

/** A card whose bank asks the viewer before it pays. */
const ASKING_CARD = "4000002500003155";
const PAID = "Paid. Enjoy the game.";

const charges = (data: string): string[] => readCharges(data).map(({ status }) => status);
const question = (page: Page) => page.getByRole("dialog", { name: "Your bank wants to know" });

/** Presses Pay with a card whose bank asks, and is asked. */
async function isAsked(page: Page): Promise<void> {
  await pressPay(page, PAID_EVENT, ASKING_CARD);
  await expect(question(page)).toBeVisible();
}

const saysYes = (page: Page, timeout?: number): Promise<void> =>
  question(page)
    .getByRole("button", { name: "Yes, pay" })
    .click(timeout === undefined ? {} : { timeout });

/** The payment comes to its end on a page, and the card was charged once. */
async function expectPaidOnce(page: Page, data: string): Promise<void> {
  await expect(page.getByText(PAID)).toBeVisible({ timeout: 20_000 });
  expect(charges(data)).toEqual(["succeeded"]);
}

/** Kills a tab that waits for the answer to a call. Gives the address that the tab was at. */
async function killWhile(page: Page, between: Between, call: string): Promise<string> {
  await between.hold(call).given;
  const url = page.url();
  await kill(page.context(), page);
  return url;
}

test("a tab that is killed while the bank asks: the next one asks again, and it is paid once (PAY-4)", async ({
  page,
  context,
  worker,
}) => {
  await register(page);
  await isAsked(page);
  const url = page.url();
  await kill(context, page);
  const next = await context.newPage();
  await next.goto(url);
  await saysYes(next);
  await expectPaidOnce(next, worker.data);
});

for (const how of ["killed", "closed"] as const)
  test(`a tab that is ${how} while the bank asks, with another one open: the next one can answer, and so can the other (PAY-4)`, async ({
    page,
    context,
    worker,
  }) => {
    await register(page);
    await page.goto("/");
    const buying = await context.newPage();
    await isAsked(buying);
    const url = buying.url();
    if (how === "killed") await kill(context, buying);
    else await buying.close();
    await expect(question(page), "the tab that is left").toBeVisible({ timeout: 20_000 });
    const next = await context.newPage();
    await next.goto(url);
    await saysYes(next);
    await expectPaidOnce(next, worker.data);
    await expect(question(page), "the first answer counts").toBeHidden();
  });

test("an answer to the bank that is lost is asked for again, and it is paid once (PAY-4)", async ({
  page,
  context,
  worker,
}) => {
  await register(page);
  await isAsked(page);
  await context.setOffline(true);
  await saysYes(page);
  await expect(page.getByRole("dialog", { name: "The connection dropped" })).toBeVisible();
  await context.setOffline(false);
  await saysYes(page, 30_000);
  await expectPaidOnce(page, worker.data);
});

test("a tab that is killed as the bank hears the viewer's answer: the purchase goes on in the next, and is paid once (PAY-4)", async ({
  page,
  context,
  between,
  worker,
}) => {
  await register(page);
  await pressPay(page, PAID_EVENT, ASKING_CARD);
  const killed = killWhile(page, between, "/api/stripe/sandbox-confirm");
  await saysYes(page);
  const next = await context.newPage();
  await next.goto(await killed);
  await expectPaidOnce(next, worker.data);
});

test("a tab that is killed before it hears that its card is stored has bought nothing, and the next one can buy (PAY-4)", async ({
  page,
  context,
  between,
  worker,
}) => {
  await register(page);
  const killed = killWhile(page, between, "/api/stripe/sandbox-card");
  await pressPay(page);
  const next = await context.newPage();
  await next.goto(await killed);
  // What was pressed died with its tab: the next one begins with an empty form (PAY-11).
  await expect(next.getByRole("dialog")).toHaveCount(0);
  await enterCard(next);
  await next.getByRole("button", { name: /^Pay / }).click();
  await expectPaidOnce(next, worker.data);
});

test("a tab that is killed before it hears of its order: the next one finds out, and it is paid once (PAY-4)", async ({
  page,
  context,
  between,
  worker,
}) => {
  await register(page);
  const killed = killWhile(page, between, "/api/stripe/buy");
  await pressPay(page);
  const next = await context.newPage();
  await next.goto(await killed);
  await expectPaidOnce(next, worker.data);
});

test("a form whose page is loaded anew while it is sent says so, and shows what became of it", async ({
  page,
  between,
}) => {
  await register(page);
  await page.goto("/profile/edit");
  const firstName = page.getByLabel("First name");
  const save = page.getByRole("button", { name: "Save" });
  await expect(firstName).toHaveValue(VERA.firstName);
  await firstName.fill("Veronica");
  const sent = between.hold("/api/profile").given;
  await save.click();
  await sent;
  await page.reload();
  await expect(page.getByRole("main").getByRole("alert")).toContainText("Something went wrong.");
  await expect(firstName).toHaveValue("Veronica");
  await firstName.fill(VERA.firstName);
  await save.click();
  await expect(page.getByText("Your profile was saved.")).toBeVisible();
});
