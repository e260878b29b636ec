import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, takeLog, test, untilServed } from "./support/journey";
import { expectPlaying, PAID_EVENT, pressPay, register, VERA } from "./support/viewer";

const WEB = join(import.meta.dirname, "..");

test("a visitor becomes a viewer: register, buy, a spot once, and the video plays", async ({ page, worker }, info) => {
  await page.goto("/");
  await expect(page.getByRole("link", { name: "All live" })).toBeVisible();
  await page.goto(PAID_EVENT);
  await expect(page.getByRole("main").getByRole("link", { name: "LOGIN TO WATCH" }).first()).toBeVisible();

  await register(page);
  await pressPay(page);
  await expect(page.getByText("Paid. Enjoy the game.")).toBeVisible({ timeout: 20_000 });
  const loads = await page.evaluate(() => performance.getEntriesByType("navigation").length);
  const spots: string[] = [];
  page.on("request", (request) => {
    const spot = /\/s\/(p\d+)\/open\/master\.m3u8$/.exec(request.url())?.[1];
    if (spot !== undefined) spots.push(spot);
  });
  const signed = page.waitForResponse(
    (response) => /\/\d+-[^/]+\/master\.m3u8$/.test(response.url()) && response.ok(),
    { timeout: 60_000 },
  );
  await page.getByRole("link", { name: "Watch", exact: true }).first().click();
  await page.getByRole("button", { name: "Watch live" }).click();
  await expect(page.getByText("Your video begins")).toBeVisible();
  await expectPlaying(page);
  expect(await page.evaluate(() => performance.getEntriesByType("navigation").length)).toBe(loads);

  // The same address with another signature, or with a time that has passed, is nobody's.
  const { pathname } = new URL((await signed).url());
  const forged = pathname.replace(/\/(\d+)-[^/]+\//, `/$1-${"A".repeat(43)}/`);
  const expired = pathname.replace(/\/\d+-([^/]+)\//, "/1-$1/");
  for (const other of [forged, expired]) {
    expect(other).not.toBe(pathname);
    expect((await page.request.get(other)).status()).toBe(403);
  }

  // No spot is shown twice within the hour (PRE-3): the next viewing has another one, or none.
  await page.reload();
  await page.getByRole("button", { name: "Watch live" }).click();
  await expectPlaying(page);
  expect(new Set(spots).size).toBe(spots.length);

  const log = await takeLog(page);
  for (const secret of Object.values(VERA)) expect(log).not.toContain(secret);
  const file = info.outputPath("session.jsonl");
  await writeFile(file, log);
  execFileSync("npx", ["tsx", "replay/cli.ts", file], { cwd: WEB, stdio: "pipe" });
  expect(worker.log()).not.toContain(VERA.email);
});

test("a purchase is paid while the status socket is blocked", async ({ page }) => {
  await page.routeWebSocket(/\/sync$/, (socket) => socket.close({ code: 1011 }));
  await register(page);
  await pressPay(page);
  await expect(page.getByText("Paid. Enjoy the game.")).toBeVisible({ timeout: 30_000 });
});

test("a declined card says so, and nothing is charged", async ({ page }) => {
  await register(page);
  await pressPay(page, PAID_EVENT, "4000000000000002");
  const failed = page.getByRole("dialog", { name: "The payment failed" });
  await expect(failed).toBeVisible({ timeout: 20_000 });
  await expect(failed).toContainText("Your card was declined.");
});

test("a worker that is killed between created and paid charges once", async ({ page, worker }) => {
  await register(page);
  const created = page.waitForResponse((response) => response.url().endsWith("/api/stripe/buy"));
  await pressPay(page);
  expect((await (await created).json()).data.status).toBe("created");
  await worker.kill();
  await worker.restart();
  await expect(page.getByText("Paid. Enjoy the game.")).toBeVisible({ timeout: 45_000 });
  await page.goto("/profile/transactions");
  await expect(page.getByRole("main").getByText("$8.59")).toHaveCount(1);
});

test("a reload without a network shows the last catalogue", async ({ page, context }) => {
  await page.goto("/");
  await expect(page.getByRole("link", { name: "All live" })).toBeVisible();
  await untilServed(page);
  await context.setOffline(true);
  await page.reload();
  await expect(page.getByText("You’re offline")).toBeVisible();
  await expect(page.getByRole("link", { name: "All live" })).toBeVisible();
});
