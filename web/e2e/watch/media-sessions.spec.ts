import { spawnSync } from "node:child_process";
import type { Page, Response } from "@playwright/test";
import { expect, test } from "../support/journey";
import { expectPlaying, PAID_EVENT, pressPay, register, VERA } from "../support/viewer";
import { BINARY } from "../support/worker";

/** A verb of the operator's, about the journeys' person. */
function user(data: string, ...verb: readonly string[]): void {
  const named = ["--data", data, "--channel", "northfield", "--email", VERA.email];
  const { status, stderr } = spawnSync(BINARY, ["user", ...verb, ...named], { encoding: "utf8" });
  expect(status, stderr).toBe(0);
}

/** The signed address of a file of a stream, as it stands in its path. */
const passOf = (url: string): string | undefined => /\/s\/[^/]+\/(\d+-\d+-\d+-[^/]+)\//.exec(url)?.[1];

const time = (page: Page) => page.locator("video").evaluate((video: HTMLVideoElement) => video.currentTime);

async function watchesWhatItBought(page: Page): Promise<void> {
  await register(page);
  await pressPay(page);
  await expect(page.getByText("Paid. Enjoy the game.")).toBeVisible({ timeout: 30_000 });
  await page.goto(PAID_EVENT);
  await page.getByRole("button", { name: "Watch live" }).click();
  await expectPlaying(page);
}

test("a video whose address has ended plays on under another for whoever may watch it (MEDIA-5)", async ({
  page,
  worker,
}) => {
  test.setTimeout(180_000);
  const passes: string[] = [];
  const refused: string[] = [];
  page.on("response", (response: Response) => {
    const pass = passOf(response.url());
    if (pass === undefined) return;
    if (response.status() === 403) refused.push(pass);
    else if (!passes.includes(pass)) passes.push(pass);
  });
  await watchesWhatItBought(page);
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

test("a video stops when its viewer logs out in another tab (MEDIA-2)", async ({ page, context }) => {
  test.setTimeout(180_000);
  let address = "";
  page.on("request", (request) => {
    if (passOf(request.url()) !== undefined && request.url().endsWith(".m3u8")) address = request.url();
  });
  await watchesWhatItBought(page);
  expect((await page.request.get(address)).status()).toBe(200);
  const other = await context.newPage();
  await other.goto("/profile");
  await other.getByRole("button", { name: "Log out" }).first().click();
  await expect(other.getByRole("banner").getByRole("link", { name: /^Your account/ })).toHaveCount(0);
  await expect.poll(async () => (await page.request.get(address)).status()).toBe(403);
  await expect(page.locator("video")).toHaveCount(0, { timeout: 60_000 });
});

test("a video stops when its viewer is blocked (MEDIA-2)", async ({ page, worker }) => {
  test.setTimeout(180_000);
  await watchesWhatItBought(page);
  user(worker.data, "block");
  await expect(page.locator("video")).toHaveCount(0, { timeout: 60_000 });
});
