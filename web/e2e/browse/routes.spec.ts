import type { Page } from "@playwright/test";
import { expect, test, untilServed } from "../support/journey";
import { untilSettled } from "../support/settled";
import { register } from "../support/viewer";

/** The heading of an address, and where it leads: by itself, or to another one. */
interface Place {
  readonly path: string;
  readonly heading: string | RegExp;
  readonly leadsTo?: string;
  /** The place of the header that is marked there, and of the bottom bar; each stands for the group of the page. */
  readonly marks?: readonly [header: string | null, bar: string | null];
  /** The title of the document before the channel's name, where pages have one heading. */
  readonly title?: RegExp;
}

const FOR_EVERYONE: readonly Place[] = [
  { path: "/", heading: "Harbor City @ Northfield", marks: ["Home", "Home"] },
  { path: "/verify-notice", heading: "Check your email" },
  { path: "/verify-email", heading: "Confirming your email" },
  { path: "/confirm-account-deletion", heading: "Delete your account" },
  { path: "/search", heading: "Search" },
  { path: "/packages", heading: "Packages", marks: ["Packages", null] },
  { path: "/passes", heading: "Passes" },
  { path: "/select-package/3", heading: "Volleyball season", marks: ["Packages", null] },
  { path: "/watch/1", heading: "Harbor City @ Northfield", marks: ["Schedule", "Schedule"] },
  { path: "/watch_embed/3", heading: "St. Brendan’s @ Cedar Ridge" },
  ...["/upcoming", "/vod", "/live", "/schedule"].map((path) => ({ path, heading: "Schedule" })),
  { path: "/upcoming?type=vod", heading: "Library", leadsTo: "/vod_library" },
  { path: "/vod_library", heading: "Library" },
  { path: "/vod_library/2", heading: "The coaches’ room: zone coverage", marks: ["Library", "Library"] },
  { path: "/about", heading: "About" },
  { path: "/contacts", heading: "Contacts" },
  { path: "/faq", heading: "Questions and answers", marks: ["FAQ", null] },
  { path: "/privacy_policy", heading: "Privacy policy" },
  { path: "/terms_conditions", heading: "Terms & conditions" },
  { path: "/season-guide", heading: "Season guide" },
  { path: "/simulate", heading: "Replay" },
  { path: "/404", heading: "This page is lost" },
  { path: "/nowhere/at/all", heading: "This page is lost", leadsTo: "/404" },
  { path: "/watch_library", heading: "This page is lost", leadsTo: "/404" },
  { path: "/watch/first", heading: "This page is lost", leadsTo: "/404" },
];
/** Who logs in by these is sent home when they have. */
const FOR_VISITORS: readonly Place[] = [
  { path: "/login", heading: "Log in" },
  { path: "/registration", heading: "Register" },
  { path: "/device", heading: "Log in on this device" },
  { path: "/password-reset-request", heading: "Reset the password" },
  { path: "/password-reset", heading: "Choose a new password" },
];
const FOR_VIEWERS: readonly Place[] = [
  { path: "/profile", heading: /Verapersonal/, title: /^Active orders\b/ },
  { path: "/profile/transactions", heading: /Verapersonal/, title: /^Transactions\b/ },
  { path: "/profile/receipts/1", heading: "Transactions" },
  { path: "/profile/clips", heading: /Verapersonal/, title: /^Clips\b/, marks: [null, "Clips"] },
  { path: "/profile/favourites", heading: /Verapersonal/, title: /^Favourites\b/ },
  { path: "/profile/sessions/add", heading: /Verapersonal/, title: /^Link a device\b/ },
  { path: "/profile/edit", heading: "Edit profile", marks: [null, "Profile"] },
];

/** What stands in a batch of analytics. */
interface Told {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

async function expectPlaces(page: Page, places: readonly Place[]): Promise<void> {
  for (const { path, heading, leadsTo, marks = [], title } of places) {
    await page.goto(path, { waitUntil: "commit" });
    await expect(page.getByRole("heading", { level: 1, name: heading }), path).toBeVisible();
    expect(new URL(page.url()).pathname, path).toBe(leadsTo ?? new URL(path, page.url()).pathname);
    if (title) await expect(page, path).toHaveTitle(title);
    for (const [at, mark] of marks.entries()) {
      const marked = page.locator([".header__places", ".bottom-bar"][at] ?? "").locator("[aria-current=page]");
      await expect(marked, path).toHaveText(mark === null ? [] : [mark]);
    }
  }
}

test("each address opens its screen, and any other one the lost page (ROUTE-1 to ROUTE-10, ROUTE-12)", async ({
  page,
}) => {
  await expectPlaces(page, [...FOR_EVERYONE, ...FOR_VISITORS]);
  await page.goto("/404");
  await page.getByRole("main").getByRole("link", { name: "Home" }).first().click();
  await expect(page).toHaveURL(/\/$/);
  // Of the embedded player the site is left out.
  await page.goto("/watch_embed/3");
  await expect(page.getByRole("heading", { level: 1 })).toBeAttached();
  await expect(page.getByRole("banner")).toHaveCount(0);
  await expect(page.getByRole("contentinfo")).toHaveCount(0);
});

test("a viewer has pages of their own, and is sent home from those that log in (ROUTE-6, NAV-2, NAV-3)", async ({
  page,
}) => {
  for (const { path } of FOR_VIEWERS) {
    await page.goto(path, { waitUntil: "commit" });
    await expect(page, path).toHaveURL(/\/login/);
  }
  await register(page);
  await expectPlaces(page, FOR_VIEWERS);
  await expectPlaces(
    page,
    FOR_VISITORS.map(({ path }) => ({ path, heading: "Harbor City @ Northfield", leadsTo: "/" })),
  );
  // Whoever logged out at the login, and goes back to what they were about to buy, stands before it.
  await page.goto("/packages");
  await page.getByRole("main").getByRole("link", { name: "Start the free trial" }).first().click();
  await expect(page).toHaveURL(/\/buy\?/);
  await page
    .getByRole("banner")
    .getByRole("link", { name: /Verapersonal/ })
    .click();
  const left = page.waitForResponse((answer) => answer.url().endsWith("/api/auth/logout"));
  await page.getByRole("main").getByRole("button", { name: "Log out" }).click();
  await expect(page).toHaveURL(/\/login$/);
  await left;
  await untilSettled(page);
  await page.goBack();
  await expect(page).toHaveURL(/\/packages$/);
});

test("a social log-in that this browser did not begin is refused (ERR-8, ROUTE-11)", async ({ page }) => {
  for (const provider of ["google", "facebook"]) {
    await page.goto(`/auth/login/${provider}/callback?code=a&state=of-somebody-else`);
    await expect(page.getByRole("main").getByRole("alert")).toBeVisible();
    await expect(page.getByRole("main").getByRole("link", { name: "Log in" }).first()).toBeVisible();
    // Who says no there is told so (ERR-8).
    await page.goto(`/auth/login/${provider}/callback?error=access_denied&state=of-somebody-else`);
    await expect(page.getByRole("main").getByRole("alert")).toHaveText("request cancelled code.");
  }
});

test.describe("a channel's menus", () => {
  test("lead to the pages of its schools, and a link's tracking value goes with what is recorded (NAV-4 to NAV-7, ROUTE-12, ANA-1, ANA-2, ANA-8, ANA-9)", async ({
    page,
  }) => {
    const told: string[] = [];
    let sessions = 0;
    page.on("request", (request) => {
      if (request.url().includes("/datalake/")) told.push(request.postData() ?? "");
      if (new URL(request.url()).pathname === "/datalake/hash/") sessions += 1;
    });
    // Each page is told of before it is left: what a page said in its last moment goes with the next one.
    const untilTold = (what: RegExp) =>
      expect.poll(() => told.join("\n"), { timeout: 30_000, message: what.source }).toMatch(what);
    await page.goto("/?trk=autumn-mail");
    await untilTold(/"group":"home"/);
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Packages" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Packages" })).toBeVisible();
    await untilTold(/"group":"catalogue"/);
    await page.goto("/faq");
    await untilTold(/"group":"faq"/);
    // A page that sells something names it.
    await page.goto("/watch/1");
    await untilTold(/"product_type":"event"/);
    await expect(
      page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Schedule" }),
    ).toHaveAttribute("aria-current", "page");
    const all = told.join("\n");
    expect(all).toContain("/packages");
    expect(all).toContain("autumn-mail");
    expect(all).toMatch(/"previous":"\/"/);
    expect(all).toMatch(/"product_id":"1"/);
    expect(all).toContain('"group":"watch"');
    for (const fact of ['"channel":"northfield"', '"analytics_key":"northfield-demo"', '"language":"en"'])
      expect(all).toContain(fact);
    expect(all).toMatch(/"app_version":"\d/);
    // Each call by the fields of its body; the site and the tracking value stand in every one.
    const events = told.filter(Boolean).flatMap((body) => (JSON.parse(body) as { events: Told[] }).events);
    const bodies = (path: string) => events.filter((event) => event.path === path).map(({ body }) => body);
    const screen = await page.evaluate(() => `${window.screen.width}x${window.screen.height}`);
    const site = { origin_url: new URL(page.url()).origin, trk: "autumn-mail", profile: expect.any(String) };
    const [session] = bodies("/datalake/session/");
    const userAgent = await page.evaluate(() => navigator.userAgent);
    expect(session).toMatchObject({ ...site, device_type: "desktop", user_agent: userAgent, platform: "web" });
    expect(session).toMatchObject({ session: expect.any(String), resolution: screen });
    for (const body of bodies("/datalake/event/"))
      expect(body).toMatchObject({
        ...site,
        session_uuid: session?.session,
        event: "visit",
        extras: expect.any(Object),
      });
    // Three page loads, one session.
    expect(sessions).toBe(1);
    await page.goto("/");
    const school = page.getByRole("link", { name: "Harbor City", exact: true }).first();
    await expect(school).toHaveAttribute("href", /[?&](?:group|participant|school)=/);
  });
});

test("a buy address leads a visitor who came before to the login as well (ROUTE-2)", async ({ page }) => {
  await page.goto("/packages");
  await expect(page.getByRole("main")).toBeVisible();
  await page.goto("/buy?event_id=1");
  await expect(page).toHaveURL(/\/login$/);
});

/** Where an address with a query of its own leads, and what it shows there. */
const NAMED: readonly (readonly [query: string, path: string, heading: string])[] = [
  ["/?school=harbor-city", "/", "Harbor City Gulls"],
  ["/?group=easton", "/", "Easton Forge"],
  ["/?team=109", "/", "Northfield Kestrels"],
  ["/?sport=hockey", "/", "Hockey"],
  ["/vod_library?vod_id=2", "/vod_library/2", "The coaches’ room: zone coverage"],
];

test("links say by their query what they are of (NAV-8, LIM-5)", async ({ page }) => {
  for (const [address, path, heading] of NAMED) {
    await page.goto(address);
    await expect(page.getByRole("heading", { level: 1, name: heading }), address).toBeVisible();
    expect(new URL(page.url()).pathname, address).toBe(path);
  }
  await expect(page.getByRole("main")).toBeVisible();
  // A list is of a category, a place, a kind.
  const rows = page.locator(".fixture-row--columns");
  for (const [query, value, asked] of [
    ["event_category_id", "21", "event_category_id"],
    ["category_id", "22", "event_category_id"],
    ["location", "2", "location"],
  ] as const) {
    const answer = page.waitForResponse((response) => {
      const { pathname, searchParams } = new URL(response.url());
      const isComing = pathname === "/api/events" && searchParams.get("stream_status") === "upcoming";
      return isComing && searchParams.get(asked) === value;
    });
    await page.goto(`/upcoming?${query}=${value}`);
    const { data } = (await (await answer).json()) as { data: { event_utc_ts: number }[] };
    await expect(rows, query).toHaveCount(data.length);
    expect(data.length, query).toBeGreaterThan(0);
    // Seconds of the wire are milliseconds here: the page has the moment of each.
    const moments = data.map(({ event_utc_ts }) => new Date(event_utc_ts * 1_000).toISOString());
    expect(
      await rows.locator("time").evaluateAll((times) => times.map((time) => time.getAttribute("datetime"))),
    ).toEqual(moments);
  }
  await page.goto("/vod_library?category_id=1");
  await expect(page.getByRole("main").locator("[aria-current]")).not.toHaveCount(0);

  // What is sold is named in the address that sells it, and what a letter is for in the letter's link.
  await register(page);
  const query = async (from: string, name: string | RegExp): Promise<Record<string, string>> => {
    await page.goto(from);
    const href = await page.getByRole("main").getByRole("link", { name }).first().getAttribute("href");
    return Object.fromEntries(new URL(href ?? "", page.url()).searchParams);
  };
  expect(await query("/watch/1", /^Buy for/)).toEqual({
    type: "event",
    event_id: "1",
    single_event_package_id: "1001",
  });
  expect(await query("/select-package/2?participant_id=102", /^Buy /)).toEqual({
    type: "package",
    package_id: "2",
    participant_id: "102",
  });
  expect(await query("/packages", "Start the free trial")).toEqual({ type: "trial", subscription_id: "1" });
  await page.goto("/demo/mail");
  const link = new URL((await page.locator("article").first().getByRole("link").getAttribute("href")) ?? "");
  expect([...link.searchParams.keys()].sort()).toEqual(["email", "expires", "signature"]);
  // It works for seven days from now, in seconds.
  const left = Number(link.searchParams.get("expires")) * 1_000 - Date.now();
  expect(Math.round(left / 86_400_000)).toBe(7);
});

test("a link in another language stays so at a later visit, and a page that is led on to is not told of as the first (FOUND-1)", async ({
  page,
}) => {
  const canonical = page.locator("link[rel=canonical]");
  const ofTheFirst = page.locator('meta[property^="og:"], script[type="application/ld+json"], link[hreflang]');
  await page.goto("/watch/1?lang=fr");
  await expect(page.locator("html")).toHaveAttribute("lang", "fr");
  await expect(canonical).toHaveAttribute("href", /\/watch\/1\?lang=fr$/);
  await expect(page.getByRole("link", { name: "Aller au contenu" })).toBeAttached();
  await page.getByRole("banner").getByRole("link").first().click();
  await expect(page).toHaveURL(/\/$/);
  await expect(page).toHaveTitle("Northfield Sports Network");
  await expect(canonical).toHaveCount(0);
  await expect(ofTheFirst).toHaveCount(0);
  // From now on the service worker answers, with the same shell for every page.
  await untilServed(page);
  await page.goto("/watch/1?lang=fr");
  await expect(page.getByRole("link", { name: "Aller au contenu" })).toBeAttached();
  await expect(page.locator("html")).toHaveAttribute("lang", "fr");
});
