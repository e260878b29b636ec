import { execFileSync } from "node:child_process";
import { expect, test } from "../support/journey";
import { IN_FRONT_OF_PLAIN } from "../support/upstream";
import { register, VERA } from "../support/viewer";
import { BINARY } from "../support/worker";

test("a recording is downloaded by who may, and by nobody else (MEDIA-3, USER-2)", async ({ page }) => {
  test.skip(IN_FRONT_OF_PLAIN, "the plain API has no call that gives a recording as a file");
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

test("what an account may do is what its capabilities say: watch, the library, clips (USER-2)", async ({
  page,
  worker,
}) => {
  test.skip(IN_FRONT_OF_PLAIN, "what an account may do is the API's to say, and no verb of ours changes it there");
  await register(page);
  const named = ["--data", worker.data, "--channel", "northfield", "--email", VERA.email];
  const may = (capabilities: string) =>
    execFileSync(BINARY, ["user", "set", ...named, "--capabilities", capabilities, "--json"]);
  const watch = page.getByRole("main").getByRole("button", { name: /^Watch(?: live)?$/ });
  // A live event and a video, both for whoever is registered; and a recording for all.
  const [live, video, recording] = ["/watch/3", "/vod_library/2", "/watch/25"];
  for (const path of [live, video]) {
    await page.goto(path);
    await expect(watch, path).toBeVisible();
  }
  may("clipping");
  for (const path of [live, video]) {
    await page.goto(path);
    await expect(page.getByRole("main").getByRole("heading", { level: 1 })).toBeVisible();
    await expect(watch, path).toHaveCount(0);
  }
  for (const [capabilities, clips] of [
    ["watch,clipping,no_ads", 1],
    ["watch,no_ads", 0],
  ] as const) {
    may(capabilities);
    await page.goto(recording);
    await watch.click();
    await expect(page.getByRole("button", { name: "Captions" })).toBeVisible({ timeout: 20_000 });
    await expect(page.getByRole("button", { name: "Clip", exact: true }), capabilities).toHaveCount(clips);
  }
});

test("the demo's log-in through another site is a stand-in that says so (AUTH-14, ERR-9, ROUTE-11)", async ({
  page,
}) => {
  test.skip(IN_FRONT_OF_PLAIN, "the start of a social log-in is beyond the specification: the plain API has none");
  await page.goto("/login");
  await page.getByRole("button", { name: /Google/ }).click();
  await expect(page.getByRole("heading", { name: "Sandbox log-in" })).toBeVisible();
  await page.getByRole("link", { name: "Jamie Rivera" }).click();
  await expect(
    page.getByText("You are not registered yet. Please accept terms and conditions and click Register to continue."),
  ).toBeVisible();
  await page.getByRole("checkbox").check();
  await page.getByRole("button", { name: "Register" }).click();
  await expect(page).toHaveURL("/");
  await page.goto("/profile");
  await expect(page.getByText("Jamie").first()).toBeVisible();
});
