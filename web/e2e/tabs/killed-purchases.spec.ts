import type { Page } from "@playwright/test";
import { expect } from "../support/journey";
import { kill } from "../support/killTab";
import { type TestProxy, test } from "../support/proxyJourney";
import { readCharges } from "../support/records";
import { enterCard, PAID_EVENT, pressPay, register } from "../support/viewer";

// A tab is killed at moments that random kills (tab-kills.spec.ts) rarely hit: an answer is held back here, and the
// kill falls in the middle of it.

/** A card whose bank asks the viewer before it pays. */
const ASKING_CARD = "4000002500003155";
const PAID = "Paid. Enjoy the game.";

const charges = (data: string): string[] => readCharges(data).map(({ status }) => status);
const question = (page: Page) => page.getByRole("dialog", { name: "Confirm with your bank" });
const saysYes = (page: Page): Promise<void> => question(page).getByRole("button", { name: "Yes, pay" }).click();

/** The payment completes on a page, and the card was charged once. */
async function expectPaidOnce(page: Page, data: string): Promise<void> {
  await expect(page.getByText(PAID)).toBeVisible({ timeout: 20_000 });
  expect(charges(data)).toEqual(["succeeded"]);
}

/** Kills a tab that waits for a call's answer. Returns the tab's address. */
async function killWhile(page: Page, between: TestProxy, call: string): Promise<string> {
  await between.hold(call).answered;
  const url = page.url();
  await kill(page.context(), page);
  return url;
}

test("a purchase whose tab is killed at each step continues in the next tab, and is paid once (PAY-4, PAY-9a, PAY-9d)", async ({
  page,
  context,
  between,
  worker,
}) => {
  const openNext = async (url: string): Promise<Page> => {
    const next = await context.newPage();
    await next.goto(url);
    return next;
  };
  await register(page);
  // Before it learns that its card is stored: it has bought nothing, and the next one starts with an empty form.
  let killed = killWhile(page, between, "/api/stripe/sandbox-card");
  await pressPay(page, PAID_EVENT, ASKING_CARD);
  let tab = await openNext(await killed);
  await expect(tab.getByRole("dialog")).toHaveCount(0);
  await enterCard(tab, ASKING_CARD);
  // Before it learns of its order: the next one finds out, and asks.
  killed = killWhile(tab, between, "/api/stripe/buy");
  await tab.getByRole("button", { name: /^Pay / }).click();
  tab = await openNext(await killed);
  await expect(question(tab)).toBeVisible({ timeout: 20_000 });
  // While the bank asks: the next one asks again.
  const url = tab.url();
  await kill(context, tab);
  tab = await openNext(url);
  // While the bank receives the viewer's answer.
  killed = killWhile(tab, between, "/api/stripe/sandbox-confirm");
  await saysYes(tab);
  tab = await openNext(await killed);
  await expectPaidOnce(tab, worker.data);
});

test("a tab is killed or closed while the bank asks, with another one open: either the next tab or the other can answer (PAY-4, PAY-9a)", async ({
  page,
  context,
  worker,
}) => {
  await register(page);
  let asking = await context.newPage();
  await pressPay(asking, PAID_EVENT, ASKING_CARD);
  for (const how of ["killed", "closed"]) {
    await expect(question(asking)).toBeVisible({ timeout: 20_000 });
    const url = asking.url();
    if (how === "killed") await kill(context, asking);
    else await asking.close();
    await expect(question(page), `the remaining tab after one was ${how}`).toBeVisible({ timeout: 20_000 });
    asking = await context.newPage();
    await asking.goto(url);
  }
  await saysYes(asking);
  await expectPaidOnce(asking, worker.data);
  await expect(question(page), "the first answer counts").toBeHidden();
});
