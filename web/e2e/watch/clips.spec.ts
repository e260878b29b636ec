import { execFileSync } from "node:child_process";
import { stat } from "node:fs/promises";
import { expect, test } from "../support/journey";
import { untilSettled } from "../support/settled";
import { expectStarted, register, registerVerified, VERA } from "../support/viewer";
import { BINARY } from "../support/worker";

test("a library video is clipped, shared, downloaded and deleted; a live game is clipped from its window, and the operator hides its clip (CLIP-1, CLIP-3, CLIP-4, CLIP-7a, CLIP-8, ROUTE-3d, CALL-8, USER-3, USER-4c, USER-5)", async ({
  page,
  browser,
  worker,
}) => {
  test.setTimeout(150_000);
  await registerVerified(page);
  await page.goto("/vod_library/1");
  await page.getByRole("button", { name: "Watch", exact: true }).click();
  await page.getByRole("button", { name: "Clip", exact: true }).click({ timeout: 30_000 });
  await page.getByLabel("Name", { exact: true }).fill("Play of the week");
  await page.getByRole("button", { name: "Goal", exact: true }).click();
  await page.getByRole("button", { name: "Create clip" }).click();
  await expect(page.getByRole("heading", { name: "Your clip is ready" })).toBeVisible({ timeout: 30_000 });
  await page.goto("/vod_library/1");
  await expect(page.getByRole("region", { name: "Clips from this video" })).toContainText("Play of the week");
  await page.goto("/profile/clips");
  const card = page.getByRole("article", { name: "" }).filter({ hasText: "Play of the week" });
  await expect(card).toContainText("Ten plays of the week");
  await expect(card).toContainText("Anyone with the link");

  // Its link is on the clipboard, opens for anyone who has it, and for nobody with another one.
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: worker.origin });
  await card.getByRole("button", { name: "Share clip Play of the week" }).click();
  await expect(page.getByRole("region", { name: "Notifications" }).getByText("copied")).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toMatch(/\/share\/\d+\/[0-9a-f-]{36}$/);
  const visitor = await browser.newPage();
  await visitor.goto(link);
  await expect(visitor.getByRole("heading", { level: 1, name: "Play of the week" })).toBeVisible();
  // Other lists of its video's clips don't affect it.
  await untilSettled(visitor);
  await expect(visitor.getByRole("button", { name: "Watch", exact: true })).toBeVisible();
  // Without the link it is unreachable, and it isn't among another viewer's clips (USER-5).
  await register(visitor, "paul@viewer.example");
  const clipsOfViewer = visitor.waitForResponse(/\/api\/clips\/user\?/);
  await visitor.goto(new URL("/profile/clips", link).href);
  expect((await (await clipsOfViewer).json()).data).toEqual([]);
  await expect(visitor.getByText("No clips yet")).toBeVisible();
  const listed = visitor.waitForResponse(/\/api\/clips\/vod\/1\?/);
  await visitor.goto(new URL("/vod_library/1", link).href);
  expect((await (await listed).json()).data).toEqual([]);
  await visitor.goto(link);
  await expect(visitor.getByRole("heading", { level: 1, name: "Play of the week" })).toBeVisible();
  const other = link.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
  expect((await fetch(other)).status).toBe(404);
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    card.getByRole("button", { name: "Download" }).click(),
  ]);
  expect((await stat(await file.path())).size).toBeGreaterThan(10_000);
  // One clip was made, and one file downloaded; a second file counts as well.
  await expect(page.getByText("1 download used.")).toBeVisible();
  await Promise.all([page.waitForEvent("download"), card.getByRole("button", { name: "Download" }).click()]);
  const counted = page.waitForResponse(/\/api\/profile\?/);
  await page.reload();
  expect((await (await counted).json()).data.featureCount).toEqual({ clips: 1, downloads: 2 });
  await expect(page.getByText("2 downloads used.")).toBeVisible();

  // On its own page the sharing and download buttons are separate, on a phone too.
  await card.getByRole("link", { name: "Play of the week" }).click();
  await expect(page).toHaveURL(/\/watch_library\/\d+$/);
  // Reloaded, it has the styles of its own screen alone.
  await page.reload();
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    const [share, download] = await Promise.all(
      ["Share", "Download"].map((name) =>
        page.getByRole("main").getByRole("button", { name, exact: true }).boundingBox(),
      ),
    );
    const beside = (download?.x ?? 0) - ((share?.x ?? 0) + (share?.width ?? 0));
    expect(beside, `${width} px`).toBeGreaterThanOrEqual(8);
  }
  await page.goto("/profile/clips");

  await card.getByRole("button", { name: "Delete clip Play of the week" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(card).toHaveCount(0);
  await expect.poll(async () => (await fetch(link)).status).toBe(404);
  await visitor.reload();
  await expect(visitor.getByText("We couldn’t find this video.").first()).toBeVisible();

  await page.goto("/watch/3");
  await page
    .getByRole("main")
    .getByRole("button", { name: /^Watch/ })
    .first()
    .click();
  await expectStarted(page);
  await page.getByRole("button", { name: "Clip", exact: true }).click();
  await page.getByLabel("Name", { exact: true }).fill("Live goal");
  await page.getByRole("button", { name: "Goal", exact: true }).click();
  // By link is the default; the keyboard selects the other.
  await expect(page.getByRole("radio", { name: /^Anyone with the link/ })).toBeChecked();
  await page.getByRole("radio", { name: /^Anyone with the link/ }).focus();
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("radio", { name: /^Public/ })).toBeChecked();
  await page.getByRole("button", { name: "Create clip" }).click();
  await expect(page.getByRole("heading", { name: "Your clip is ready" })).toBeVisible({ timeout: 30_000 });

  const verb = (...words: string[]) => execFileSync(BINARY, [...words, "--data", worker.data], { encoding: "utf8" });
  const [clip] = JSON.parse(verb("clip", "list", "--channel", "northfield", "--public", "--json"));
  expect(clip.name).toBe("Live goal");
  const path = new URL(clip.url).pathname;
  // Bypasses the service worker, which answers each of the site's addresses.
  const opens = async () => (await fetch(new URL(path, worker.origin))).status;
  await visitor.goto(new URL(path, worker.origin).href);
  await visitor.getByRole("button", { name: "Watch", exact: true }).click();
  await expect(visitor.locator("video")).toBeVisible();
  await visitor.close();
  verb("clip", "hide", String(clip.id));
  expect(verb("audit-log")).toContain("clip hide");
  expect(await opens()).toBe(404);
  // Visible again, it ends with a block of its owner.
  verb("clip", "unhide", String(clip.id));
  expect(await opens()).toBe(200);
  verb("user", "block", "--channel", "northfield", "--email", VERA.email);
  expect(await opens()).toBe(404);
});
