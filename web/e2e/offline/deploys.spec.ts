import { deploy } from "../support/deploys";
import { expect, untilServed } from "../support/journey";
import { test } from "../support/proxyJourney";
import { untilSettled } from "../support/settled";
import { enterCard, PAID_EVENT, register } from "../support/viewer";

/** A card whose bank asks the viewer before it pays. */
const ASKING_CARD = "4000002500003155";

test("a page that was open before a deploy opens every screen, and the viewer takes the new build (OPS-32)", async ({
  page,
  context,
  between,
  worker,
}) => {
  const main = page.getByRole("main");
  const wrong = page.getByText("Something went wrong.");
  const menu = page.getByRole("navigation", { name: "Main" });
  await page.goto("/");
  await untilServed(page);
  deploy(between, worker);
  await menu.getByRole("link", { name: "Packages" }).click();
  await expect(main.getByRole("heading", { name: "Packages" }).first()).toBeVisible();

  // A viewer who comes back starts from the old shell as well.
  await page.goto("/");
  await menu.getByRole("link", { name: "FAQ" }).click();
  await expect(main.getByText("What do I need to watch?")).toBeVisible();
  await expect(wrong).toHaveCount(0);

  const script = () => page.locator("link[data-runs]").last().getAttribute("href");
  const before = await script();
  const other = await context.newPage();
  await other.goto("/");
  await page.getByRole("button", { name: "Reload" }).click();
  await expect.poll(script).not.toBe(before);
  await menu.getByRole("link", { name: "Library" }).click();
  await expect(main.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(wrong).toHaveCount(0);
});

test.describe("without a service worker", () => {
  test.use({ serviceWorkers: "block" });

  test("a page whose files are gone loads the new build by itself (OPS-32)", async ({ page, between, worker }) => {
    await page.goto("/");
    await untilSettled(page);
    deploy(between, worker);
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "FAQ" }).click();
    await expect(page.getByRole("main").getByText("What do I need to watch?")).toBeVisible();
  });

  test("a page whose files are gone asks first if another tab would lose a form (OPS-32)", async ({
    page,
    context,
    between,
    worker,
  }) => {
    const form = await context.newPage();
    await form.goto("/contacts");
    await form.getByRole("textbox").first().fill("Vera");
    await page.goto("/");
    await untilSettled(page);
    deploy(between, worker);
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Packages" }).click();
    await expect(page.getByText("A new version is available.")).toBeVisible();
  });

  test("a card that was entered before a deploy pays, with its bank's question (PAY-4, OPS-32)", async ({
    page,
    between,
    worker,
  }) => {
    await register(page);
    await page.goto(PAID_EVENT);
    await page
      .getByRole("main")
      .getByRole("link", { name: /^Buy for/ })
      .first()
      .click();
    await enterCard(page, ASKING_CARD);
    deploy(between, worker);
    await page.getByRole("button", { name: /^Pay / }).click();
    const question = page.getByRole("dialog", { name: "Confirm with your bank" });
    await question.getByRole("button", { name: "Yes, pay" }).click();
    await expect(page.getByText("Paid. Enjoy the game.")).toBeVisible();
  });
});
