import { expect, test } from "../support/journey";
import { pressPay, register } from "../support/viewer";

// In front of another worker the site has everything of the embedded API (`upstream.rs`). The other journeys run in
// front of an API by `UPSTREAM=worker` or `UPSTREAM=plain` (see `make soak`).
test.use({ behind: "plain" });

test("in front of a plain channel API a viewer registers, adds favourites, buys and changes a name as with the embedded one (UP-1, UP-3b, UP-6a, UP-9)", async ({
  page,
}) => {
  await register(page);
  await expect(page.getByRole("main").getByRole("article").first()).toBeVisible();
  await expect(page.getByText("Game times may change: check the schedule before you travel.")).toBeVisible();
  await page.goto("/?group=northfield");
  const heart = (label: string) => page.getByRole("button", { name: label, exact: true }).first();
  await heart("Add to favourites: Northfield Kestrels").click();
  await expect(heart("Remove from favourites: Northfield Kestrels")).toBeVisible();

  // A calendar has no games without the feed.
  await page.goto("/?participant=101");
  await expect(page.getByRole("heading", { name: "Northfield Kestrels" }).first()).toBeVisible();
  await expect(page.getByRole("region", { name: "Add to your calendar" })).toHaveCount(0);

  // A package's contents are missing too: it is sold all the same (UP-3).
  await page.goto("/packages");
  await expect(page.getByRole("main").getByRole("link", { name: "Choose team" }).first()).toBeVisible();

  await pressPay(page);
  await expect(page.getByText("Paid. Enjoy the game.")).toBeVisible({ timeout: 20_000 });
  await page.goto("/watch/1");
  await expect(page.getByRole("main").getByRole("button", { name: "Watch live" })).toBeVisible();
  await page.goto("/profile");
  const main = page.getByRole("main");
  const bought = "Harbor City @ Northfield";
  await expect(main.getByRole("article").filter({ hasText: bought })).toContainText("Active");
  await page.goto("/profile/transactions");
  await expect(main.getByRole("row").filter({ hasText: bought })).toContainText("$8.59");
  await page.goto("/profile/favourites");
  await expect(page.getByRole("region", { name: "Following" }).getByRole("listitem")).toHaveCount(1);

  await page.goto("/profile/edit");
  // The call that deletes an account is missing.
  const deletion = page.getByRole("heading", { name: "Delete your account" });
  await expect(page.getByLabel("First name")).toBeVisible();
  await expect(deletion).toHaveCount(0);
  await page.getByLabel("First name").fill("Otherwise");
  await main.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Your profile has been saved.")).toBeVisible();
  await page.goto("/profile");
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Otherwise");
});
