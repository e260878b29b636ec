import { expect, test } from "./support/journey";
import { register, VERA } from "./support/viewer";

test("a recording is downloaded by who may, and by nobody else (MEDIA-3, USER-2)", async ({ page }) => {
  const download = page.getByRole("main").getByRole("button", { name: "Download" });
  const watch = page.getByRole("main").getByRole("button", { name: "Watch", exact: true });
  await page.goto("/watch/25");
  await expect(watch).toBeVisible();
  await expect(download).toHaveCount(0);
  await page.goto("/login");
  await page.getByLabel("Email").fill("noads@northfield.example");
  await page.getByLabel(/^Password/).fill("touchline");
  await page.getByRole("main").getByRole("button", { name: "Log in" }).click();
  await expect(page).not.toHaveURL(/login/);
  await page.goto("/watch/25");
  const [file] = await Promise.all([page.waitForEvent("download"), download.click()]);
  expect(file.suggestedFilename()).toMatch(/\.(mp4|ts|m4v)$/);
  // What is not over has no file yet.
  await page.goto("/watch/5");
  await expect(page.getByRole("main").getByRole("heading", { level: 1 })).toBeVisible();
  await expect(download).toHaveCount(0);
});

test("the profile says what is not confirmed, and leads to its letter (AUTH-4)", async ({ page }) => {
  await register(page);
  await page.goto("/profile");
  await expect(page.getByText(`${VERA.email} is not confirmed yet.`)).toBeVisible();
  await page.getByRole("main").getByRole("link", { name: "Confirm my email" }).click();
  await expect(page).toHaveURL("/verify-notice");
});
