// @vitest-environment jsdom
import { expect } from "vitest";
import { CARDS, journey, type Page, VERA } from "../testing/journey";

/** Time until a page stores its last snapshot, in milliseconds. */
const SNAPSHOT_MS = 1_500;

async function logIn(page: Page): Promise<void> {
  await page.fill("Email", VERA.email);
  await page.fill(/^Password/, VERA.password);
  await page.main.press("Log in");
}

/** Waits until a call has arrived, whose answer never does. */
const untilSent = (page: Page, operation: string): Promise<unknown> =>
  page.browser.until(() => expect(page.channel.requests(operation)).toHaveLength(1));

journey("a login interrupted by a reload leaves a page that can log in (AUTH-1a)", async (page) => {
  page.channel.state.people.add(VERA);
  page.channel.fail("POST /api/v2/auth/login", "silent", 1);
  await page.goto("/login");
  await logIn(page);
  await untilSent(page, "POST /api/v2/auth/login");
  await page.reload();
  await logIn(page);
  await page.within("header").press(/^Your account/);
  await page.isAt("/profile");
  // The viewer and the key that replaced the visitor's are stored.
  const before = page.channel.requests("POST /api/v2/auth/login").at(-1)?.key ?? "";
  await page.reload();
  await page.main.sees(VERA.first_name);
  const key = page.channel.requests("GET /api/profile").at(-1)?.key ?? "";
  expect([key === before, page.channel.state.people.keys.get(key)?.email]).toEqual([false, VERA.email]);
});

journey(
  "a logout interrupted by a reload continues, and the header offers to log in once it is done (AUTH-2a, AUTH-2b)",
  async (page) => {
    await page.signIn();
    await page.goto("/profile");
    page.channel.fail("POST /api/auth/logout", "silent", 1);
    await page.main.press("Log out");
    await untilSent(page, "POST /api/auth/logout");
    await page.main.within('[role="status"]').sees("Logging out");
    const header = page.within("header");
    expect(header.can(/^Your account/)).toBe(true);
    expect(header.can(/^log in$/i)).toBe(false);
    await page.reload();
    await header.sees(/^log in$/i);
    expect(header.can(/^Your account/)).toBe(false);
    // Nobody is signed in on the next page either.
    await page.goto("/profile");
    await page.isAt(/^\/login/);
  },
);

journey("a payment in progress continues after a reload, and is charged once (PAY-4)", async (page) => {
  await page.signIn();
  await page.goto("/watch/1");
  await page.main.press(/^Buy for/);
  page.channel.state.orders.holdsPayments = true;
  await page.payWith(CARDS.pays);
  await untilSent(page, "POST /api/stripe/buy");
  await page.pass(SNAPSHOT_MS);
  await page.reload();
  page.channel.state.orders.decide("paid");
  await page.sees("Paid. Enjoy the game.");
  expect(page.channel.state.orders.charges).toMatchObject([{ amount: 859, status: "succeeded" }]);
  const keys = page.channel.requests("POST /api/stripe/buy").map(({ idempotencyKey }) => idempotencyKey);
  expect(new Set(keys).size).toBe(1);
});

journey("a form interrupted by a reload says so, and shows what was saved", async (page) => {
  const vera = await page.signIn();
  await page.goto("/profile/edit");
  const untilNamed = async (name: string): Promise<void> => {
    const field = await page.field("First name");
    await page.browser.until(() => expect(field.value).toBe(name));
  };
  await untilNamed(VERA.first_name);
  await page.fill("First name", "Veronica");
  page.channel.fail("POST /api/profile", "silent", 1);
  await page.main.press("Save");
  await untilSent(page, "POST /api/profile");
  // The channel saved it: only the answer is missing.
  vera.first_name = "Veronica";
  await page.reload();
  await page.main.within('[role="alert"]').sees("Something went wrong.");
  await untilNamed("Veronica");
  await page.fill("First name", VERA.first_name);
  await page.main.press("Save");
  await page.main.sees("Your profile has been saved.");
  expect(vera.first_name).toBe(VERA.first_name);
});
