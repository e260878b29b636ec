import { expect, test } from "../support/journey";
import { readCharges } from "../support/records";
import { pressPay, registerByForm } from "../support/viewer";

// Other than on localhost, plain HTTP has no service worker, no Web Lock and no randomUUID: the site works without
// them.

test.use({
  baseURL: async ({ worker }, use) => use(worker.origin.replace("127.0.0.1", "plain.test")),
});

test("two tabs on plain HTTP: one buys with a new card while the other is open, and it is charged once", async ({
  page,
  context,
  worker,
}) => {
  await registerByForm(page);
  expect(await page.evaluate(() => [window.isSecureContext, "locks" in navigator])).toEqual([false, false]);
  const other = await context.newPage();
  await other.goto("/");
  await expect(other.getByRole("banner").getByRole("link", { name: /^Your account/ })).toBeVisible();
  await pressPay(page);
  await expect(page.getByText("Paid. Enjoy the game.")).toBeVisible({ timeout: 30_000 });
  expect(readCharges(worker.data).map(({ status }) => status)).toEqual(["succeeded"]);
  await other.goto("/profile");
  await expect(other.getByRole("main").getByRole("link", { name: "Go to event" })).toBeVisible();
});
