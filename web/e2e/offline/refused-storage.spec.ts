import { expect, test } from "../support/journey";
import { enterCard, expectPlaying, PAID_EVENT, registerByForm } from "../support/viewer";

/** Runs in a page: the browser refuses each of its stores and its ways between tabs, as with all cookies blocked. */
function refuseAll(): void {
  const refuse = (): never => {
    throw new DOMException("The operation is insecure.", "SecurityError");
  };
  for (const name of ["sessionStorage", "localStorage", "caches"])
    Object.defineProperty(window, name, { get: refuse, configurable: true });
  for (const name of ["serviceWorker", "locks"])
    Object.defineProperty(Navigator.prototype, name, { get: refuse, configurable: true });
  window.indexedDB.open = refuse;
  window.BroadcastChannel = refuse as unknown as typeof BroadcastChannel;
}

/** Runs in a page: the browser never opens a database. */
function neverOpen(): void {
  IDBFactory.prototype.open = () => new EventTarget() as IDBOpenDBRequest;
}

test("a viewer registers, buys and watches where the browser stores nothing at all", async ({ context }) => {
  // A page of its own: the journey's end reads the stores of the other one.
  const page = await context.newPage();
  await page.addInitScript(refuseAll);
  await registerByForm(page);
  // A page that loads again knows nobody: the viewer moves within the site.
  const main = page.getByRole("main");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Schedule" }).click();
  await main.getByRole("link", { name: /^Live/ }).first().click();
  await main.locator(`a[href="${PAID_EVENT}"]`).first().click();
  await main
    .getByRole("link", { name: /^Buy for/ })
    .first()
    .click();
  await enterCard(page);
  await page.getByRole("button", { name: /^Pay / }).click();
  await expect(page.getByText("Paid. Enjoy the game.")).toBeVisible();
  await page.getByRole("dialog").getByRole("link").first().click();
  await expectPlaying(page);
});

test("a page appears, and an embed too, though the browser's database never opens", async ({ context }) => {
  const page = await context.newPage();
  await page.addInitScript(neverOpen);
  await page.goto("/");
  await expect(page.locator("#root").getByRole("link", { name: "All live" })).toBeVisible();
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "FAQ" }).click();
  await expect(page.getByText("What do I need to watch?")).toBeVisible();
  await page.goto("/watch_embed/25");
  await expect(page.getByRole("main").locator("video, button, a").first()).toBeVisible();
  await expect(page.getByText("Something went wrong.")).toHaveCount(0);
});
