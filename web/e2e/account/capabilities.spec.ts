import { execFileSync } from "node:child_process";
import { expect, test } from "../support/journey";
import { IN_FRONT_OF_PLAIN } from "../support/upstream";
import { register, VERA } from "../support/viewer";
import { BINARY } from "../support/worker";

test.use({ serviceWorkers: "block" });

test("an account's capabilities decide what it may do: watch, the library, clips, downloads (MEDIA-3, USER-2)", async ({
  page,
  worker,
}) => {
  test.skip(IN_FRONT_OF_PLAIN, "capabilities come from the API, and our verbs cannot change them there");
  const main = page.getByRole("main");
  const download = main.getByRole("button", { name: "Download" });
  const watch = main.getByRole("button", { name: /^Watch(?: live)?$/ });
  // A live event and a video for registered viewers, and a recording for everyone.
  const [live, video, recording] = ["/watch/3", "/vod_library/2", "/watch/25"];
  await page.goto(recording);
  await expect(watch).toBeVisible();
  await expect(download).toHaveCount(0);
  await register(page);
  const named = ["--data", worker.data, "--channel", "northfield", "--email", VERA.email];
  const may = (capabilities: string) =>
    execFileSync(BINARY, ["user", "set", ...named, "--capabilities", capabilities, "--json"]);
  for (const path of [live, video]) {
    await page.goto(path);
    await expect(watch, path).toBeVisible();
  }
  may("clipping,download");
  for (const path of [live, video]) {
    await page.goto(path);
    await expect(main.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(watch, path).toHaveCount(0);
  }
  may("watch,clipping,no_ads,download");
  // A running event has no file yet.
  await page.goto("/watch/5");
  await expect(main.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(download).toHaveCount(0);
  await page.goto(recording);
  const [file] = await Promise.all([page.waitForEvent("download"), download.click()]);
  expect(file.suggestedFilename()).toMatch(/\.(mp4|ts|m4v)$/);
  const clip = page.getByRole("button", { name: "Clip", exact: true });
  await watch.click();
  await expect(page.getByRole("button", { name: "Captions" })).toBeVisible({ timeout: 20_000 });
  await expect(clip).toHaveCount(1);
  may("watch,no_ads");
  await page.goto(recording);
  await watch.click();
  await expect(page.getByRole("button", { name: "Captions" })).toBeVisible({ timeout: 20_000 });
  await expect(clip).toHaveCount(0);
  await expect(download).toHaveCount(0);
});

test("the demo's social login says that it is a stand-in, and a code that was never issued is refused (AUTH-14, ERR-8, ERR-9, ROUTE-11)", async ({
  page,
}) => {
  test.skip(IN_FRONT_OF_PLAIN, "social login is not in the specification, and the plain API has none");
  const jamie = page.getByRole("link", { name: "Jamie Rivera" });
  await page.goto("/login");
  await page.getByRole("button", { name: /Google/ }).click();
  await expect(page.getByRole("heading", { name: "Sandbox login" })).toBeVisible();
  // It returns with a code that the site never issued.
  const back = await jamie.getAttribute("href");
  await page.goto((back ?? "").replace("code=jamie", "code=nobody"));
  await expect(page.getByRole("main").getByText("Wrong auth data.")).toBeVisible();

  await page.goto("/login");
  await page.getByRole("button", { name: /Google/ }).click();
  await jamie.click();
  await expect(
    page.getByText("You are not registered yet. Please accept terms and conditions and click Register to continue."),
  ).toBeVisible();
  await page.getByRole("checkbox").check();
  await page.getByRole("button", { name: "Register" }).click();
  await expect(page).toHaveURL("/");
  await page.goto("/profile");
  await expect(page.getByText("Jamie").first()).toBeVisible();
});
