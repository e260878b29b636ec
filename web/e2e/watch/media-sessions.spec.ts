import { spawnSync } from "node:child_process";
import type { Page, Response } from "@playwright/test";
import { expect, test } from "../support/journey";
import { expectPlaying, PAID_EVENT, pressPay, register, VERA } from "../support/viewer";
import { BINARY } from "../support/worker";

test.use({ serviceWorkers: "block" });

/** Runs an operator's verb about the journeys' person. */
function user(data: string, ...verb: readonly string[]): void {
  const named = ["--data", data, "--channel", "northfield", "--email", VERA.email];
  const { status, stderr } = spawnSync(BINARY, ["user", ...verb, ...named], { encoding: "utf8" });
  expect(status, stderr).toBe(0);
}

/** The signature in the path of a stream's file. */
const passOf = (url: string): string | undefined => /\/s\/[^/]+\/(\d+-[\da-f]+-\d+-[^/]+)\//.exec(url)?.[1];

const time = (page: Page) => page.locator("video").evaluate((video: HTMLVideoElement) => video.currentTime);

async function watchPaid(page: Page): Promise<void> {
  await page.goto(PAID_EVENT);
  await page.getByRole("button", { name: "Watch live" }).click();
  await expectPlaying(page);
}

test("a video with an expired address continues under a new one while its viewer has access, and stops after a logout or a block (MEDIA-2d, MEDIA-5)", async ({
  page,
  context,
  worker,
}) => {
  test.setTimeout(240_000);
  const passes: string[] = [];
  const refused: string[] = [];
  let address = "";
  page.on("response", (response: Response) => {
    const pass = passOf(response.url());
    if (pass === undefined) return;
    if (response.url().endsWith(".m3u8")) address = response.url();
    if (response.status() === 403) refused.push(pass);
    else if (!passes.includes(pass)) passes.push(pass);
  });
  await register(page);
  await pressPay(page);
  await expect(page.getByText("Paid. Enjoy the game.")).toBeVisible({ timeout: 30_000 });
  await watchPaid(page);

  await test.step("continues under another address when its viewer's capabilities change", async () => {
    const [first] = passes;
    await page.locator("video").evaluate((video) => {
      for (const type of ["pause", "emptied", "ended"])
        video.addEventListener(type, () => document.body.setAttribute("data-stopped", type));
    });
    user(worker.data, "set", "--capabilities", "watch,clipping");
    await expect.poll(() => passes.at(-1), { timeout: 30_000 }).not.toBe(first);
    expect(new Set(refused)).toEqual(new Set([first]));
    const before = await time(page);
    await expect.poll(() => time(page), { timeout: 30_000 }).toBeGreaterThan(before + 5);
    await expect(page.locator(".player__message")).toHaveCount(0);
    expect(await page.locator("body").getAttribute("data-stopped")).toBeNull();
  });

  const other = await context.newPage();
  await test.step("stops when its viewer logs out in another tab", async () => {
    const last = address;
    expect((await page.request.get(last)).status()).toBe(200);
    await other.goto("/profile");
    await other.getByRole("button", { name: "Log out" }).first().click();
    await expect(other.getByRole("banner").getByRole("link", { name: /^Your account/ })).toHaveCount(0);
    await expect.poll(async () => (await page.request.get(last)).status()).toBe(403);
    await expect(page.locator("video")).toHaveCount(0, { timeout: 60_000 });
  });

  await test.step("stops when its viewer is blocked", async () => {
    await other.goto("/login");
    await other.getByLabel("Email").fill(VERA.email);
    await other.getByLabel(/^Password/).fill(VERA.password);
    await other.getByRole("main").getByRole("button", { name: "Log in" }).click();
    await expect(other.getByRole("banner").getByRole("link", { name: /^Your account/ })).toBeVisible();
    await watchPaid(page);
    user(worker.data, "block");
    await expect(page.locator("video")).toHaveCount(0, { timeout: 60_000 });
  });
});
