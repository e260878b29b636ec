import type { Page } from "@playwright/test";
import { expect, test, untilServed } from "../support/journey";
import { readCharges, readClips } from "../support/records";
import { expectPlaying, expectStarted, PAID_EVENT, pressPay, register, registerVerified } from "../support/viewer";

// Processes continue after a reload, with or without a network, from the browser's storage and its service worker.
// src/sagas/resume.test.ts covers every state of each of them; src/journeys/offline has the screens.

/** A recording that is free to watch. */
const FREE_EVENT = "/watch/25";
const PAID = "Paid. Enjoy the game.";

const account = (page: Page) => page.getByRole("banner").getByRole("link", { name: /^Your account/ });

test.describe("a slow payment", () => {
  test.use({ flags: ["--sandbox-delay-ms", "4000"] });

  test("is charged once if the worker is killed and the page is reloaded without a network (PAY-4)", async ({
    page,
    context,
    worker,
  }) => {
    await register(page);
    await untilServed(page);
    const created = page.waitForResponse((response) => response.url().endsWith("/api/stripe/buy"));
    await pressPay(page);
    expect((await (await created).json()).data.status).toBe("created");
    await worker.kill();
    expect(readCharges(worker.data).filter(({ status }) => status === "succeeded")).toEqual([]);
    await context.setOffline(true);
    await page.reload();
    await expect(page.getByText("You’re offline", { exact: false }).first()).toBeVisible();
    await worker.restart();
    const once = [{ amount: 859, status: "succeeded" }];
    await expect.poll(() => readCharges(worker.data), { timeout: 20_000 }).toEqual(once);
    await context.setOffline(false);
    await expect(page.getByText(PAID)).toBeVisible({ timeout: 20_000 });
    expect(readCharges(worker.data)).toEqual(once);
    await page.goto("/profile/transactions");
    await expect(page.locator("tbody td.transactions__total", { hasText: "$8.59" })).toHaveCount(1);
  });
});

/** Changes the stored viewer state, without the site. */
const alterState = (page: Page, changes: object): Promise<void> =>
  page.evaluate(async (altered) => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open("touchline-state");
      opening.onsuccess = () => resolve(opening.result);
      opening.onerror = () => reject(opening.error);
    });
    const store = database.transaction("snapshots", "readwrite").objectStore("snapshots");
    const found = await new Promise<Record<string, unknown>>((resolve) => {
      const reading = store.get("persist:browser");
      reading.onsuccess = () => resolve(reading.result as Record<string, unknown>);
    });
    store.put({ ...found, ...altered }, "persist:browser");
    await new Promise((resolve) => {
      store.transaction.oncomplete = resolve;
    });
    database.close();
  }, changes);

test("a damaged stored state is discarded, and one from a newer build leaves selling to a newer page", async ({
  page,
  context,
}) => {
  await register(page);
  // The page writes its state again as it closes, so the state is corrupted from another page of the origin.
  await page.route("**/demo/blank", (route) => route.fulfill({ contentType: "text/html", body: "<p>blank</p>" }));
  await page.goto("/demo/blank");
  await alterState(page, { purchase: { at: "torn" }, catalogue: [] });
  const refused = page.waitForEvent("pageerror");
  await page.goto(PAID_EVENT);
  expect((await refused).message).toMatch(/the stored state was rejected because of its (purchase|catalogue)/);
  // The viewer starts afresh, still logged in.
  await expect(account(page)).toBeVisible();
  const heart = page.getByRole("main").getByRole("button", { name: / favourites: / });
  await expect(heart.first()).toBeVisible();

  await alterState(page, { _persist: { version: 99, rehydrated: true } });
  // A page that starts now continues as after a rollback, in place of one of the newer build.
  await heart.first().click();
  await expect(page.getByText("A new version is available.")).toBeVisible();
  const other = await context.newPage();
  await pressPay(other);
  await expect(other.getByText(PAID)).toBeVisible({ timeout: 30_000 });
  await page.getByRole("button", { name: "Reload" }).click();
  await expect(page.getByText("A new version is available.")).toHaveCount(0);
  await expect(account(page)).toBeVisible();
});

test("every screen opens offline with what is stored, after one look at the home page (START-6)", async ({
  page,
  context,
}) => {
  await page.goto("/");
  await untilServed(page);
  await expect(page.locator("#root").getByRole("link", { name: "All live" })).toBeVisible();
  const main = page.getByRole("main");
  const menu = page.getByRole("navigation", { name: "Main" });
  await context.setOffline(true);
  await menu.getByRole("link", { name: "FAQ" }).click();
  await expect(main.getByText("What do I need to watch?")).toBeVisible();
  await menu.getByRole("link", { name: "Packages" }).click();
  await expect(main.getByRole("heading", { name: "Packages" }).first()).toBeVisible();
  await expect(page.locator(".packages__grid").first()).toHaveCSS("display", "grid");
  for (const [path, stored] of [
    ["/schedule", main.getByRole("heading", { level: 1 })],
    ["/watch/25", main.getByRole("heading", { level: 1 })],
    ["/search", main.getByRole("link", { name: "Basketball" }).first()],
    ["/login", main.getByLabel("Email")],
  ] as const) {
    await page.goto(path);
    await expect(stored).toBeVisible();
  }
  await expect(page.getByText("Something went wrong.")).toHaveCount(0);
});

test("a preroll interrupted by a reload plays afterwards; a seen one doesn't, and plays before another video (PRE-2, PRE-3)", async ({
  page,
}) => {
  test.setTimeout(150_000);
  const SPOT = /\/media\/northfield\/s\/p\d+\//;
  const spot = page.getByText(/^Your video starts/);
  const watch = () => page.getByRole("button", { name: "Watch", exact: true }).click();
  const fetched: string[] = [];
  page.on("request", (request) => {
    if (SPOT.test(request.url())) fetched.push(request.url());
  });
  // It never arrives.
  await page.route(SPOT, () => undefined);
  await page.goto(FREE_EVENT);
  await watch();
  await expect.poll(() => fetched.length).toBeGreaterThan(0);
  // The page that requested the preroll is gone before it can arrive and play.
  await page.reload();
  await page.unroute(SPOT);
  await watch();
  await expect(spot).toBeVisible({ timeout: 20_000 });
  // Its first frame counts.
  await expect
    .poll(() => page.locator("video").evaluate((video: HTMLVideoElement) => video.currentTime))
    .toBeGreaterThan(0);

  const expectNoSpot = async (state: string): Promise<void> => {
    await page.reload();
    fetched.length = 0;
    await watch();
    await expectPlaying(page);
    expect(fetched, `a preroll after a reload in state ${state}`).toEqual([]);
  };
  await expectNoSpot("playing");
  await page.goto("/watch/31");
  await watch();
  await expect(spot).toBeVisible({ timeout: 20_000 });
  await expectStarted(page);
  await expectNoSpot("done");
});

test("a clip requested without a network is cut once online, after a reload (CLIP-2)", async ({
  page,
  context,
  worker,
}) => {
  test.setTimeout(150_000);
  await page.goto("/");
  await untilServed(page);
  await registerVerified(page);
  await page.goto(FREE_EVENT);
  await page.getByRole("button", { name: "Watch", exact: true }).click();
  await expectStarted(page);
  await page.getByRole("button", { name: "Clip", exact: true }).click();
  await page.getByLabel("Name", { exact: true }).fill("First goal");
  await page.getByRole("button", { name: "Goal", exact: true }).click();
  await context.setOffline(true);
  await page.getByRole("button", { name: "Create clip" }).click();
  await expect(page.getByText("1 item waiting to sync.")).toBeVisible();
  await page.reload();
  await expect(page.getByText("1 item waiting to sync.")).toBeVisible();
  await context.setOffline(false);
  await expect.poll(() => readClips(worker.data), { timeout: 60_000 }).toEqual(["First goal"]);
  await page.goto("/profile/clips");
  await expect(page.getByRole("main").getByRole("link", { name: "First goal" })).toBeVisible({ timeout: 60_000 });
  expect(readClips(worker.data)).toEqual(["First goal"]);
  // A finished clip can be downloaded; the request's earlier answer isn't a failure.
  const card = page.getByRole("article").filter({ hasText: "First goal" });
  await expect(card.getByRole("button", { name: "Download" })).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole("main").getByText("clip creating failed")).toHaveCount(0);
});
