import type { Page } from "@playwright/test";
import { expect, test, untilServed } from "../support/journey";
import { readCharges, readClips } from "../support/records";
import { expectPlaying, PAID_EVENT, pressPay, register, registerVerified, VERA } from "../support/viewer";

// Processes go on where they stood, after a reload and with or without a network. Every state of each of them is walked
// in src/sagas/resume.test.ts; here the browser, its stores and its service worker take part.

/** A recording that is free to watch. */
const FREE_EVENT = "/watch/25";
const PAID = "Paid. Enjoy the game.";

const account = (page: Page) => page.getByRole("banner").getByRole("link", { name: /^Your account/ });

const chargesOf = (data: string): string[] => readCharges(data).map(({ status }) => status);

test.describe("a slow payment", () => {
  test.use({ flags: ["--sandbox-delay-ms", "4000"] });

  test("is gone on with after a reload, and charged once (PAY-4)", async ({ page, worker }) => {
    await register(page);
    const created = page.waitForResponse((response) => response.url().endsWith("/api/stripe/buy"));
    await pressPay(page);
    await created;
    await page.reload();
    await expect(page.getByText(PAID)).toBeVisible({ timeout: 20_000 });
    expect(chargesOf(worker.data)).toEqual(["succeeded"]);
  });

  test("is gone on with once there is a network, after a reload without one (PAY-4)", async ({
    page,
    context,
    worker,
  }) => {
    await page.goto("/");
    await untilServed(page);
    await register(page);
    const created = page.waitForResponse((response) => response.url().endsWith("/api/stripe/buy"));
    await pressPay(page);
    await created;
    await context.setOffline(true);
    await page.reload();
    await expect(page.getByText("You’re offline", { exact: false }).first()).toBeVisible();
    await expect.poll(() => chargesOf(worker.data)).toEqual(["succeeded"]);
    await context.setOffline(false);
    await expect(page.getByText(PAID)).toBeVisible({ timeout: 20_000 });
    expect(chargesOf(worker.data)).toEqual(["succeeded"]);
  });
});

test("a login that a reload cut off leaves a page that can be logged in on (AUTH-1)", async ({ page, context }) => {
  await register(page);
  await page.goto("/profile");
  await page.getByRole("main").getByRole("button", { name: "Log out" }).click();
  await expect(account(page)).toHaveCount(0);
  await context.route("**/api/v2/auth/login", (route) => route.abort());
  await page.goto("/login");
  const logIn = async () => {
    await page.getByLabel("Email").fill(VERA.email);
    await page.getByLabel(/^Password/).fill(VERA.password);
    await page.getByRole("main").getByRole("button", { name: "Log in" }).click();
  };
  await logIn();
  await page.reload();
  await context.unroute("**/api/v2/auth/login");
  await logIn();
  await expect(account(page)).toBeVisible();
});

test("a logout that a reload cut off is gone on with, and the header says so only once it is done (AUTH-2)", async ({
  page,
  context,
}) => {
  await register(page);
  await page.goto("/profile");
  const logout = "**/api/auth/logout";
  const request = page.waitForRequest(logout);
  await context.route(logout, () => {});
  await page.getByRole("main").getByRole("button", { name: "Log out" }).click();
  await request;
  await expect(account(page)).toBeVisible();
  await expect(page.getByRole("main").getByRole("status")).toHaveText("Logging out");
  await context.unroute(logout);
  await page.reload();
  await expect(account(page)).toHaveCount(0);
  // Nobody is left to come back.
  await page.goto("/profile");
  await expect(page).toHaveURL(/\/login/);
});

/** Changes what the browser keeps of the viewer's state, behind the site's back. */
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

test("a stored state that is torn is refused, and the viewer starts afresh, still logged in", async ({ page }) => {
  await register(page);
  await page.goto("/");
  await expect(account(page)).toBeVisible();
  // The page writes its state once more as it goes: it is torn from a page that is not the site's.
  await page.route("**/demo/blank", (route) => route.fulfill({ contentType: "text/html", body: "<p>blank</p>" }));
  await page.goto("/demo/blank");
  await alterState(page, { purchase: { at: "torn" }, catalogue: [] });
  const refused = page.waitForEvent("pageerror");
  await page.goto("/");
  expect((await refused).message).toMatch(/the stored state was refused for its (purchase|catalogue)/);
  await expect(account(page)).toBeVisible();
  await expect(page.locator("#root").getByRole("link", { name: "All live" })).toBeVisible();
});

test("a page whose state a newer build has written over says so, and leaves the selling to a newer page", async ({
  page,
  context,
}) => {
  await register(page);
  await page.goto(PAID_EVENT);
  await expect(account(page)).toBeVisible();
  const heart = page.getByRole("main").getByRole("button", { name: / favourites: / });
  await expect(heart.first()).toBeVisible();
  await alterState(page, { _persist: { version: 99, rehydrated: true } });
  // A page that begins now goes on as after a release that was taken back, which stands for one of the newer build.
  await heart.first().click();
  await expect(page.getByText("A new version is ready.")).toBeVisible();
  const other = await context.newPage();
  await pressPay(other);
  await expect(other.getByText(PAID)).toBeVisible({ timeout: 30_000 });
  await page.getByRole("button", { name: "Reload" }).click();
  await expect(page.getByText("A new version is ready.")).toHaveCount(0);
  await expect(account(page)).toBeVisible();
});

test("a screen that was never opened says that it needs a connection, and comes when there is one", async ({
  page,
  context,
}) => {
  await page.goto("/");
  await untilServed(page);
  await expect(page.locator("#root").getByRole("link", { name: "All live" })).toBeVisible();
  await context.setOffline(true);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Packages" }).click();
  await expect(
    page.getByRole("main").getByText("You’re offline. Try again when the connection is back."),
  ).toBeVisible();
  await expect(page.getByText("Something went wrong.")).toHaveCount(0);
  await context.setOffline(false);
  await expect(page.getByRole("main").getByRole("heading", { name: "Packages" }).first()).toBeVisible();
});

test("a screen that could not be fetched comes with its style, once the site can be reached again", async ({
  page,
  worker,
}) => {
  await page.goto("/");
  await untilServed(page);
  await expect(page.locator("#root").getByRole("link", { name: "All live" })).toBeVisible();
  await worker.kill();
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Packages" }).click();
  // The browser says that there is a network.
  await expect(page.getByRole("main").getByRole("alert")).toBeVisible({ timeout: 30_000 });
  await worker.restart();
  const main = page.getByRole("main");
  await expect(main.getByRole("heading", { name: "Packages" }).first()).toBeVisible({ timeout: 60_000 });
  await expect(page.locator(".packages__grid").first()).toHaveCSS("display", "grid", { timeout: 60_000 });
  await expect(page.getByText("Something went wrong.")).toHaveCount(0);
});

test.describe("a spot before a video (PRE-2)", () => {
  const SPOT = /\/media\/northfield\/s\/p\d+\//;
  const spot = (page: Page) => page.getByText(/^Your video begins/);
  const watch = (page: Page) => page.getByRole("button", { name: "Watch", exact: true }).click();

  test("that a reload cut off before its first frame plays after it; one that was seen does not, reload or not", async ({
    page,
  }) => {
    test.setTimeout(150_000);
    const asked: string[] = [];
    page.on("request", (request) => {
      if (SPOT.test(request.url())) asked.push(request.url());
    });
    // It never arrives.
    await page.route(SPOT, () => undefined);
    await page.goto(FREE_EVENT);
    await watch(page);
    await expect.poll(() => asked.length).toBeGreaterThan(0);
    // The page that asked for the spot is gone before the spot can arrive: it would show it.
    await page.reload();
    await page.unroute(SPOT);
    await watch(page);
    await expect(spot(page)).toBeVisible({ timeout: 20_000 });
    // Its first frame is what counts.
    await expect
      .poll(() => page.locator("video").evaluate((video: HTMLVideoElement) => video.currentTime))
      .toBeGreaterThan(0);

    for (const state of ["playing", "suppressed"]) {
      await page.reload();
      asked.length = 0;
      await watch(page);
      await expectPlaying(page);
      expect(asked, `a spot after a reload that found it ${state}`).toEqual([]);
    }
  });

  test("that was seen to its end is not shown again after a reload, and is before another video (PRE-3)", async ({
    page,
  }) => {
    test.setTimeout(150_000);
    await page.goto(FREE_EVENT);
    await watch(page);
    await expect(spot(page)).toBeVisible({ timeout: 20_000 });
    await expectPlaying(page);
    await page.reload();
    const again = page.waitForRequest(SPOT, { timeout: 5_000 }).catch(() => null);
    await watch(page);
    await expectPlaying(page);
    expect(await again).toBeNull();
    await page.goto("/watch/31");
    await watch(page);
    await expect(spot(page)).toBeVisible({ timeout: 20_000 });
  });
});

test("a clip that was asked for without a network is cut once there is one, after a reload (CLIP-2)", async ({
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
  await expectPlaying(page);
  await page.getByRole("button", { name: "Clip", exact: true }).click();
  await page.getByLabel("Name").fill("First goal");
  await page.getByRole("button", { name: "Goal", exact: true }).click();
  await context.setOffline(true);
  await page.getByRole("button", { name: "Make the clip" }).click();
  await expect(page.getByText("1 thing is waiting to be sent.")).toBeVisible();
  await page.reload();
  await expect(page.getByText("1 thing is waiting to be sent.")).toBeVisible();
  await context.setOffline(false);
  await expect.poll(() => readClips(worker.data), { timeout: 60_000 }).toEqual(["First goal"]);
  await page.goto("/profile/clips");
  await expect(page.getByRole("main").getByRole("link", { name: "First goal" })).toBeVisible({ timeout: 60_000 });
  expect(readClips(worker.data)).toEqual(["First goal"]);
  // Ready it is offered to be had; what the page that asked was told of it is no failure.
  const card = page.getByRole("article").filter({ hasText: "First goal" });
  await expect(card.getByRole("button", { name: "Download" })).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole("main").getByText("clip creating failed")).toHaveCount(0);
});
