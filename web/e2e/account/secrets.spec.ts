import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "@playwright/test";
import { PAGES_ALONE } from "../support/chromium";
import { expect, takeLog, test } from "../support/journey";
import { searchBrowserStorage, watchKeys } from "../support/secrets";
import { expectStarted, PAID_EVENT, pressPay, registerByForm, VERA } from "../support/viewer";

const account = (page: Page) => page.getByRole("banner").getByRole("link", { name: /^Your account/ });

/** A viewer registers, pays, saves a card, watches, adds a favourite, logs out and returns. */
async function walkJourney(page: Page): Promise<void> {
  await registerByForm(page);
  await pressPay(page);
  await expect(page.getByText("Paid. Enjoy the game.")).toBeVisible({ timeout: 30_000 });
  await page.goto(PAID_EVENT);
  await page.getByRole("button", { name: "Watch live" }).click();
  await expectStarted(page);
  await page
    .getByRole("main")
    .getByRole("button", { name: /^Add to favourites/ })
    .first()
    .click();
  await page.goto("/profile/edit");
  await expect(page.getByLabel("First name")).toHaveValue(VERA.firstName);
  await page.goto("/profile");
  const anonymous = page.waitForResponse(/\/api\/get_api_key$/);
  await page.getByRole("button", { name: "Log out" }).first().click();
  await anonymous;
  await expect(account(page)).toHaveCount(0);
  await page.goto("/login");
  await page.getByLabel("Email").fill(VERA.email);
  await page.getByLabel(/^Password/).fill(VERA.password);
  await page.getByRole("main").getByRole("button", { name: "Log in" }).click();
  await expect(account(page)).toBeVisible();
}

/** Every file below a folder, with its bytes. */
async function* filesOf(folder: string): AsyncGenerator<readonly [name: string, bytes: Buffer]> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    yield [path.slice(folder.length + 1), await readFile(path)] as const;
  }
}

/** The files of the account's own database: IndexedDB stores all of an origin's databases in one folder. */
const ACCOUNT_FILES = /IndexedDB\/.*\.indexeddb\.leveldb\//;

/** The browser's own form autofill, which the site doesn't control. */
const BROWSER_FILES = /^Default\/(Login Data|Web Data|Sessions\/)/;
/** The browser's HTTP caches by address, which contain video segments. */
const FETCHED = /^Default\/(Cache|Code Cache|Service Worker\/ScriptCache)\//;
/** Values that no browser's autofill stores. */
const NEVER_STORED = [VERA.password, VERA.card];

/** Plants a secret in each location where a page can store one, and asserts that the search finds it. */
async function expectPlantedSecretsFound(page: Page): Promise<void> {
  const secret = "planted zq secret";
  await page.evaluate(async (planted) => {
    localStorage.setItem("planted", planted);
    sessionStorage.setItem("planted", encodeURIComponent(planted));
    await (await caches.open("planted")).put("/planted", new Response(`body ${planted}`));
    await new Promise((resolve) => {
      const opening = indexedDB.open("planted");
      opening.onupgradeneeded = () => opening.result.createObjectStore("items");
      opening.onsuccess = () => {
        const transaction = opening.result.transaction("items", "readwrite");
        const deep = { list: [new TextEncoder().encode(planted)] };
        transaction.objectStore("items").put(deep, "deep");
        transaction.oncomplete = resolve;
      };
    });
  }, secret);
  const { leaks } = await searchBrowserStorage(page, [secret, encodeURIComponent(secret)]);
  expect(leaks.map(({ location }) => location).sort()).toEqual([
    expect.stringContaining("cache planted"),
    "localStorage",
    "planted/items/deep",
    "sessionStorage",
  ]);
}

/** Opens a mailed link, and searches its page's log and stored data for it. */
async function expectLinkStaysInAddress(page: Page): Promise<void> {
  const email = "mailed.zq@viewer.example";
  const signature = "mailed-zq-signature";
  const code = "mailed-zq-code";
  const link = new URLSearchParams({ email, expires: "4102444800", signature, code });
  await page.goto(`/verify-email?${link}`);
  await page.getByRole("button", { name: "Confirm email" }).click();
  await expect(page.getByRole("main").getByRole("alert")).toBeVisible();
  const needles = [email, encodeURIComponent(email), signature, code];
  const log = await takeLog(page);
  expect(log).toContain('"name":"verifyEmail"');
  expect(needles.filter((needle) => log.includes(needle))).toEqual([]);
  // The page's record of the link is stored as the page closes.
  await page.goto("/faq");
  await page.getByRole("main").waitFor();
  const { leaks, locations } = await searchBrowserStorage(page, needles);
  expect(leaks).toEqual([]);
  expect(locations.filter((location) => location.startsWith("touchline-log/"))).not.toEqual([]);
}

test("no data of a viewer or a mailed link is in the browser's profile on disk (LOG-2, MEDIA-4b)", async ({
  worker,
}) => {
  test.setTimeout(180_000);
  const profile = await mkdtemp(join(tmpdir(), "touchline-profile-"));
  try {
    const context = await chromium.launchPersistentContext(profile, {
      ...PAGES_ALONE,
      baseURL: worker.origin,
    });
    const keys = watchKeys(context);
    const [page = await context.newPage()] = context.pages();
    await walkJourney(page);
    const log = await takeLog(page);
    const needles = keys.needles();
    expect(keys.passes().length).toBeGreaterThanOrEqual(1);
    // A visitor's key, the viewer's, and each again after the logout.
    expect(keys.keys().length).toBeGreaterThanOrEqual(3);
    expect(needles.filter((needle) => log.includes(needle))).toEqual([]);
    const { leaks, locations } = await searchBrowserStorage(page, needles);
    expect(leaks).toEqual([]);
    // The search covered the log, the snapshots and the caches.
    for (const location of [/^touchline-log\//, /^touchline-state\//, /^cache /])
      expect(locations.filter((one) => location.test(one)).length, String(location)).toBeGreaterThan(0);
    await expectLinkStaysInAddress(page);
    await expectPlantedSecretsFound(page);
    await context.close();

    const found: string[] = [];
    let files = 0;
    for await (const [name, bytes] of filesOf(profile)) {
      files += 1;
      if (ACCOUNT_FILES.test(name)) continue;
      const wanted = BROWSER_FILES.test(name) ? NEVER_STORED : needles;
      for (const needle of FETCHED.test(name) ? wanted.filter((one) => !keys.passes().includes(one)) : wanted)
        for (const encoding of ["utf8", "utf16le"] as const)
          if (bytes.includes(needle, 0, encoding)) found.push(`${needle} in ${name}`);
    }
    expect(files).toBeGreaterThan(20);
    expect(found).toEqual([]);
  } finally {
    await rm(profile, { recursive: true, force: true });
  }
});
