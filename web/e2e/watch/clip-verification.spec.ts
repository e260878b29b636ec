import { expect, test } from "../support/journey";
import { openLetter, register, VERA } from "../support/viewer";

test("the first clip waits for a confirmed address: the page says so, the link is sent again, and it is made (CLIP-5)", async ({
  page,
}) => {
  await register(page);
  await page.goto("/watch/25");
  await page.getByRole("button", { name: "Watch", exact: true }).click();
  await page.getByRole("button", { name: "Clip", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Confirm your email first" })).toBeFocused();
  await expect(page.getByRole("button", { name: "Make the clip" })).toHaveCount(0);
  await page.getByRole("link", { name: "Confirm my email" }).click();

  await expect(page).toHaveURL("/verify-notice");
  await expect(page.getByRole("main")).toContainText(`We have sent a link to ${VERA.email}.`);
  await page.getByRole("button", { name: "Send the link again" }).click();
  await expect(page.getByText(`The link is on its way to ${VERA.email}.`)).toBeVisible();
  await expect(async () => {
    await page.goto("/demo/mail");
    await expect(page.locator("article", { hasText: "Verify your email address" })).toHaveCount(2, { timeout: 200 });
  }).toPass({ timeout: 20_000 });
  await openLetter(page, "Verify your email address");
  await expect(page.getByText("Your email is confirmed.")).toBeVisible();
  await page.goto("/verify-notice");
  await expect(page.getByRole("heading", { name: "Your email is confirmed" })).toBeVisible();

  await page.goto("/watch/25");
  await page.getByRole("button", { name: "Watch", exact: true }).click();
  await page.getByRole("button", { name: "Clip", exact: true }).click();
  await page.getByLabel("Name").fill("First goal");
  await page.getByRole("button", { name: "Goal", exact: true }).click();
  await page.getByRole("button", { name: "Make the clip" }).click();
  await expect(page.getByRole("heading", { name: /^Your clip is (on its way|ready)$/ })).toBeVisible();
});

test.describe("a page that was told otherwise", () => {
  // What the page asks for passes the test, which changes the answer.
  test.use({ serviceWorkers: "block" });

  test("shows the worker's refusal of a clip, with the way out (CLIP-5)", async ({ page }) => {
    await register(page);
    await page.route("**/api/profile?*", async (route) => {
      const answer = await route.fetch();
      const body = await answer.json();
      body.data.email_verified = true;
      await route.fulfill({ response: answer, json: body });
    });
    await page.goto("/watch/25");
    await page.getByRole("button", { name: "Watch", exact: true }).click();
    await page.getByRole("button", { name: "Clip", exact: true }).click();
    await page.getByLabel("Name").fill("Too early");
    await page.getByRole("button", { name: "Goal", exact: true }).click();
    await page.getByRole("button", { name: "Make the clip" }).click();
    // A notice says it as well, for a moment.
    await expect(page.getByRole("main").getByText("Please verify your email address first.")).toBeVisible();
    await page.getByRole("link", { name: "Confirm my email" }).click();
    await expect(page).toHaveURL("/verify-notice");
  });
});
