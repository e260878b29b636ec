import { type APIResponse, expect, type Page } from "@playwright/test";
import { untilSettled } from "./settled";

/** An invented person whose names occur nowhere else, so that a search of raw bytes finds them. */
export const VERA = {
  firstName: "Verapersonal",
  lastName: "Zquietname",
  email: "vera.zq@viewer.example",
  password: "correct horse zq battery",
  card: "4242424242424242",
} as const;

/** A paid event that is live in the demo. */
export const PAID_EVENT = "/watch/1";

/** Registers a viewer by the API's calls, stores their key as the site does, and opens the home page. */
export async function register(page: Page, email: string = VERA.email): Promise<void> {
  // A page of the site's origin without the site, which would fetch a visitor's key.
  await page.route("**/api/blank", (route) => route.fulfill({ contentType: "text/html", body: "" }));
  await page.goto("/api/blank");
  await page.unroute("**/api/blank");
  const { origin, hostname } = new URL(page.url());
  // These requests share the browser's cookies.
  const read = async (answer: Promise<APIResponse>) => {
    const response = await answer;
    if (!response.ok()) throw new Error(`${response.url()}: ${response.status()} ${await response.text()}`);
    return response.json();
  };
  const post = async (path: string, data: object): Promise<Signed> =>
    (await read(page.request.post(`${origin}/api/${path}`, { data }))).data;
  const { channel_key } = await read(page.request.get(`${origin}/keys/${hostname}.json`));
  const visitor = await post("get_api_key", { channel_key });
  const { firstName: first_name, lastName: last_name, password } = VERA;
  const form = { first_name, last_name, email, password, password_confirmation: password, terms: true };
  const { api_key, user } = await post("v2/auth/register", { api_key: visitor.api_key, ...form });
  const person = { first_name, last_name, email, phone: "" };
  await page.evaluate(storeAccount, { keys: { channel_key, api_key, user_id: user.id }, person });
  await page.goto("/", { waitUntil: "commit" });
  // By then the site has read and stored the profile.
  await untilSettled(page);
}

interface Signed {
  readonly api_key: string;
  readonly user: { readonly id: number };
}

/** Runs in a page: fills the object store of the account in the database of `src/storage/stateDatabase.ts`. */
async function storeAccount(account: { readonly [key: string]: object }): Promise<void> {
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    const opening = indexedDB.open("touchline-state", 1);
    opening.onupgradeneeded = () => {
      for (const store of ["snapshots", "outbox", "account", "generation"]) opening.result.createObjectStore(store);
    };
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
  const transaction = database.transaction("account", "readwrite");
  for (const [key, value] of Object.entries(account)) transaction.objectStore("account").put(value, key);
  await new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onabort = () => reject(transaction.error);
  });
  database.close();
}

/** Registers through the form, as a viewer does. */
export async function registerByForm(page: Page, email: string = VERA.email): Promise<void> {
  await page.goto("/registration");
  await fillRegistration(page, email);
}

/** On the registration page. */
export async function fillRegistration(page: Page, email: string = VERA.email): Promise<void> {
  await page.getByLabel("First name").fill(VERA.firstName);
  await page.getByLabel("Last name").fill(VERA.lastName);
  await page.getByLabel("Email").fill(email);
  await page.getByLabel(/^Password/).fill(VERA.password);
  await page.getByLabel("Confirm password").fill(VERA.password);
  await page.getByRole("checkbox").check();
  await page.getByRole("main").getByRole("button", { name: "Register" }).click();
  await expect(page).not.toHaveURL(/registration/);
}

/**
 * Presses the heart of that name, and waits until the worker stores it, since a page left within milliseconds may not.
 */
export async function follow(page: Page, name: string): Promise<void> {
  const answered = page.waitForResponse((one) => new URL(one.url()).pathname === "/api/favorite" && one.ok());
  await page
    .getByRole("button", { name: `Add to favourites: ${name}`, exact: true })
    .first()
    .click();
  await answered;
  await expect(
    page.getByRole("button", { name: `Remove from favourites: ${name}`, exact: true }).first(),
  ).toBeVisible();
}

/** Opens the newest link in an email with this subject, once it has arrived. */
export async function openEmail(page: Page, subject: string): Promise<void> {
  const link = page.locator("article", { hasText: subject }).first().getByRole("link");
  await expect(async () => {
    await page.goto("/demo/mail");
    await expect(link).toHaveCount(1, { timeout: 200 });
  }).toPass({ timeout: 20_000 });
  await link.click();
}

/** Registers and confirms the address through the mailed link, as creating clips requires. */
export async function registerVerified(page: Page, email: string = VERA.email): Promise<void> {
  await register(page, email);
  await openEmail(page, "Confirm your email address");
  await page.getByRole("button", { name: "Confirm email" }).click();
  await expect(page.getByText("Your email is confirmed.")).toBeVisible();
}

/** Types a card into the fields of a new one. */
export async function enterCard(page: Page, card: string = VERA.card): Promise<void> {
  await page.getByLabel("Card number").fill(card);
  await page.getByRole("textbox", { name: "Expires" }).fill("12/30");
  await page.getByLabel("Security code").fill("123");
}

/** From the event's page to pressing the pay button. */
export async function pressPay(page: Page, event = PAID_EVENT, card: string = VERA.card): Promise<void> {
  await page.goto(event);
  await page
    .getByRole("main")
    .getByRole("link", { name: /^Buy for/ })
    .first()
    .click();
  await enterCard(page, card);
  await page.getByRole("button", { name: /^Pay / }).click();
}

/** The video itself plays: after any preroll, a second of it is shown. */
export async function expectPlaying(page: Page): Promise<void> {
  // A live game starts by seeking to its edge, so its position says nothing.
  const played = () =>
    page.locator("video").evaluate(({ played: ranges }: HTMLVideoElement) => {
      let seconds = 0;
      for (let index = 0; index < ranges.length; index += 1) seconds += ranges.end(index) - ranges.start(index);
      return seconds;
    });
  const spot = page.getByText(/^Your video starts/);
  await expect(async () => {
    // A preroll has no seek bar, and may start while the video's ranges are being read.
    await expect(page.getByLabel("Position")).toHaveCount(1, { timeout: 5_000 });
    const before = await played();
    await expect.poll(played, { timeout: 10_000 }).toBeGreaterThan(before + 1);
    await expect(spot).toHaveCount(0, { timeout: 100 });
  }).toPass({ timeout: 60_000 });
}

/** The video itself has started: its preroll, which another journey covers, is skipped to its end. */
export async function expectStarted(page: Page): Promise<void> {
  const video = page.locator(".player__video");
  const spot = page.getByText(/^Your video starts/);
  await expect(async () => {
    if ((await spot.count()) > 0)
      await video.evaluate((of: HTMLVideoElement) => {
        if (of.duration > 0) of.currentTime = of.duration;
      });
    await expect(page.getByLabel("Position")).toHaveCount(1, { timeout: 500 });
  }).toPass({ timeout: 30_000 });
  const time = () => video.evaluate((of: HTMLVideoElement) => of.currentTime);
  await expect.poll(time, { timeout: 30_000 }).toBeGreaterThan(0.1);
}
