// @vitest-environment jsdom
import { fireEvent } from "@testing-library/dom";
import { expect } from "vitest";
import { journey, type Page } from "../testing/journey";

/** An address's heading, and its redirect if any. */
interface Address {
  readonly path: string;
  readonly heading: string | RegExp;
  readonly leadsTo?: string;
  /** The highlighted entries of the header and the bottom bar; each represents the page's group. */
  readonly marks?: readonly [header: string | null, bar: string | null];
  /** The document's title before the channel's name, where several pages share a heading. */
  readonly title?: RegExp;
}

/** Offers of the channel. */
const OFFERED: readonly Address[] = [
  { path: "/", heading: "Harbor City @ Northfield", marks: ["Home", "Home"] },
  { path: "/search", heading: "Search" },
  { path: "/packages", heading: "Packages", marks: ["Packages", null] },
  { path: "/passes", heading: "Passes" },
  { path: "/select-package/3", heading: "Volleyball season", marks: ["Packages", null] },
  { path: "/watch/1", heading: "Harbor City @ Northfield", marks: ["Schedule", "Schedule"] },
  { path: "/watch_embed/3", heading: "St. Brendan’s @ Cedar Ridge" },
  ...["/upcoming", "/vod", "/live", "/schedule"].map((path) => ({ path, heading: "Schedule" })),
  { path: "/vod?type=event", heading: "Schedule" },
  { path: "/upcoming?type=vod", heading: "Library", leadsTo: "/vod_library" },
  { path: "/vod_library", heading: "Library" },
  { path: "/vod_library/2", heading: "The coaches’ room: zone coverage", marks: ["Library", "Library"] },
];
/** Texts, and unknown addresses. */
const TEXTS: readonly Address[] = [
  { path: "/verify-notice", heading: "Check your email" },
  { path: "/verify-email", heading: "Confirm your email" },
  { path: "/confirm-account-deletion", heading: "Delete your account" },
  { path: "/about", heading: "About" },
  { path: "/contacts", heading: "Contacts" },
  { path: "/faq", heading: "Questions and answers", marks: ["FAQ", null] },
  { path: "/privacy_policy", heading: "Privacy policy" },
  { path: "/terms_conditions", heading: "Terms & conditions" },
  { path: "/season-guide", heading: "Season guide" },
  { path: "/simulate", heading: "Replay", title: /^Replay of a recorded log/ },
  { path: "/404", heading: "Page not found" },
  { path: "/nowhere/at/all", heading: "Page not found", leadsTo: "/404" },
  { path: "/watch_library", heading: "Page not found", leadsTo: "/404" },
  { path: "/watch/first", heading: "Page not found", leadsTo: "/404" },
];
/** Pages for visitors only, which redirect a signed-in viewer home. */
const FOR_VISITORS: readonly Address[] = [
  { path: "/login", heading: "Log in", marks: [null, "Profile"] },
  { path: "/registration", heading: "Register", marks: [null, "Profile"] },
  { path: "/device", heading: "Log in on this device" },
  { path: "/password-reset-request", heading: "Reset your password" },
  { path: "/password-reset", heading: "Choose a new password" },
];
const FOR_VIEWERS: readonly Address[] = [
  { path: "/profile", heading: /Verapersonal/, title: /^Active orders\b/ },
  { path: "/profile/transactions", heading: /Verapersonal/, title: /^Transactions\b/ },
  { path: "/profile/receipts/1", heading: "Transactions" },
  { path: "/profile/clips", heading: /Verapersonal/, title: /^Clips\b/, marks: [null, "Clips"] },
  { path: "/profile/favourites", heading: /Verapersonal/, title: /^Favourites\b/ },
  { path: "/profile/sessions/add", heading: /Verapersonal/, title: /^Link a device\b/ },
  { path: "/profile/edit", heading: "Edit profile", marks: [null, "Profile"] },
  {
    path: "/buy?type=event&event_id=1&single_event_package_id=1001",
    heading: /\S/,
    marks: ["Schedule", "Schedule"],
  },
  { path: "/buy?type=package&package_id=1", heading: /\S/, marks: ["Packages", null] },
];

const pathOf = (path: string): string => new URL(path, "http://channel.test").pathname;
const titled = (page: Page, title: RegExp | string) =>
  page.browser.until(() =>
    expect(document.title).toEqual(typeof title === "string" ? title : expect.stringMatching(title)),
  );

async function opens(page: Page, addresses: readonly Address[]): Promise<void> {
  for (const { path, heading, leadsTo, marks = [], title } of addresses) {
    await page.goto(path);
    await page.within("main h1", heading).appears();
    await page.settles();
    expect(pathOf(page.browser.address), path).toBe(leadsTo ?? pathOf(path));
    if (title) await titled(page, title);
    for (const [at, mark] of marks.entries()) {
      const bar = page.within([".header__places", ".bottom-bar"][at] ?? "");
      const marked = bar.all("[aria-current=page]").map(({ textContent }) => textContent);
      expect(marked, `${path} in ${at === 0 ? "the header" : "the bottom bar"}`).toEqual(mark === null ? [] : [mark]);
    }
  }
}

journey(
  "each address of an offer opens its screen (ROUTE-1 to ROUTE-5, ROUTE-2b, ROUTE-3a, ROUTE-12c, LIST-4b, LIST-4e)",
  (page) => opens(page, OFFERED),
);

journey(
  "each address opens its screen, and any other one the not-found page (ROUTE-1 to ROUTE-10, ROUTE-3a, ROUTE-3b, ROUTE-12c)",
  async (page) => {
    await opens(page, [...TEXTS, ...FOR_VISITORS]);
    await page.goto("/404");
    await page.main.press("Back to home");
    await page.isAt("/");
    // The embedded player leaves out the rest of the site.
    await page.goto("/watch_embed/3");
    await page.within("h1").appears();
    expect(page.all("body header, body footer")).toHaveLength(0);
  },
);

journey("a visitor who opens a viewer's page is sent to the login (ROUTE-6, NAV-2)", async (page) => {
  for (const { path } of FOR_VIEWERS) {
    await page.goto(path);
    await page.isAt("/login");
  }
});

journey(
  "a viewer has pages of their own, and is redirected home from the login pages (ROUTE-6a, ROUTE-6c, ROUTE-12c, NAV-2, NAV-3)",
  async (page) => {
    await page.signIn();
    await opens(page, FOR_VIEWERS);
    await opens(
      page,
      FOR_VISITORS.map(({ path }) => ({ path, heading: "Harbor City @ Northfield", leadsTo: "/" })),
    );
    // After logging out at the login, Back leads to a buy page that requires logging in.
    await page.goto("/packages");
    await page.main.press("Start free trial");
    await page.isAt(/^\/buy\?/);
    await page.within("header").press(/Verapersonal/);
    await page.main.press("Log out");
    await page.isAt("/login");
    await page.browser.until(() => expect(page.channel.requests("POST /api/auth/logout")).toHaveLength(1));
    await page.settles();
    page.browser.back();
    await page.isAt("/packages");
  },
);

journey("missing content says so in its title (ROUTE-3)", async (page) => {
  for (const [path, title] of [
    ["/watch/99999", /^We couldn’t find this event\./],
    ["/vod_library/99999", /^We couldn’t find this video\./],
    ["/share/99999/0190a6e0-0000-7000-8000-000000000007", /^We couldn’t find this video\./],
    ["/?participant=nobody", /^Page not found/],
  ] as const) {
    await page.goto(path);
    await titled(page, title);
  }
  await page.within("main h1", "Page not found").appears();
  // Existing content has the title that its link previews.
  await page.goto("/?sport=hockey&division=womens-hockey");
  await page.within("main h1", "Hockey · Women’s").appears();
  await titled(page, "Hockey · Women’s · Northfield Sports Network");
});

journey("a visitor is sent to the login for their own clips (ROUTE-3)", async (page) => {
  await page.goto("/watch_library/1");
  await page.isAt("/login");
});

journey("a trailing slash opens the same page (ROUTE-7, ROUTE-10)", async (page) => {
  for (const [path, heading] of [
    ["/about/", /^About$/],
    ["/contacts/", /^Contacts$/],
  ] as const) {
    await page.goto(path);
    await page.within("main h1", heading).appears();
    await page.within("main p", /\w{3}.{40}/).appears();
    expect(page.has("There’s nothing here yet.")).toBe(false);
    expect(page.browser.address).toBe(path);
  }
});

journey("a phone has the whole menu at the bottom of every page (NAV-7)", async (page) => {
  await page.goto("/faq");
  const foot = page.within("footer");
  for (const name of ["Home", "Schedule", "Library", "Packages", "About"]) {
    await foot.sees(name);
    expect(
      foot.all("a[href]").filter(({ textContent }) => textContent?.trim() === name),
      name,
    ).toHaveLength(1);
  }
  await foot.press("Packages");
  await page.isAt("/packages");
});

journey("a buy address sends a returning visitor to the login as well (ROUTE-2)", async (page) => {
  await page.goto("/packages");
  await page.main.sees("Packages");
  await page.goto("/buy?event_id=1");
  await page.isAt("/login");
});

journey("a social login that this browser did not start is refused (ERR-8, ROUTE-11)", async (page) => {
  for (const provider of ["google", "facebook"]) {
    await page.goto(`/auth/login/${provider}/callback?code=a&state=of-somebody-else`);
    await page.within("main [role=alert]").appears();
    expect(page.main.can("Log in")).toBe(true);
    await page.goto(`/auth/login/${provider}/callback?error=access_denied&state=of-somebody-else`);
    await page.within("main [role=alert]", /^Sign-in was cancelled\.$/).appears();
    await page.browser.until(() => expect(document.title).toMatch(/^Log in · /));
  }
});

/** Addresses with their own query, their page and its heading. */
const NAMED: readonly (readonly [query: string, path: string, heading: string])[] = [
  ["/?school=harbor-city", "/", "Harbor City Gulls"],
  ["/?group=easton", "/", "Easton Forge"],
  ["/?team=109", "/", "Northfield Kestrels"],
  ["/?sport=hockey", "/", "Hockey"],
  ["/vod_library?vod_id=2", "/vod_library/2", "The coaches’ room: zone coverage"],
];

journey("links name their subject in the query (NAV-8b, LIM-5)", async (page) => {
  for (const [address, path, heading] of NAMED) {
    await page.goto(address);
    await page.within("main h1", heading).appears();
    expect(pathOf(page.browser.address), address).toBe(path);
  }
  // Lists filtered by a category, a venue, a kind.
  const { events, locations } = page.channel.state.catalogue;
  const now = Date.now() / 1_000;
  const coming = events.filter(({ event_utc_ts }) => event_utc_ts > now);
  expect(locations.some(({ id }) => id === 2)).toBe(true);
  for (const [query, value, fits] of [
    ["event_category_id", "21", (event) => event.event_category_id === 21],
    ["category_id", "22", (event) => event.event_category_id === 22],
    ["location", "2", (event) => event.location_id === 2],
  ] as [string, string, (event: (typeof events)[number]) => boolean][]) {
    await page.goto(`/upcoming?${query}=${value}`);
    const found = coming.filter(fits).sort((a, b) => a.event_utc_ts - b.event_utc_ts);
    expect(found.length, query).toBeGreaterThan(0);
    // The wire has seconds, the page has milliseconds.
    const moments = found.map(({ event_utc_ts }) => new Date(event_utc_ts * 1_000).toISOString());
    await page.browser.until(() =>
      expect(
        page.main.all(".fixture-row--columns time").map((time) => time.getAttribute("datetime")),
        query,
      ).toEqual(moments),
    );
  }
  await page.goto("/vod_library?category_id=1");
  await page.within("main [aria-current]").appears();
});

journey("the address of an offer names it (NAV-8)", async (page) => {
  await page.signIn();
  const queryOf = async (from: string, name: RegExp): Promise<{ [name: string]: string }> => {
    await page.goto(from);
    const link = await page.browser.untilDisplayed(() => {
      const found = page.main.all("a[href]").find(({ textContent }) => name.test(textContent ?? ""));
      if (!found) throw new Error(`no link ${name} at ${from}`);
      return found;
    });
    return Object.fromEntries(new URL(link.getAttribute("href") ?? "", location.href).searchParams);
  };
  expect(await queryOf("/watch/1", /^Buy for/)).toEqual({
    type: "event",
    event_id: "1",
    single_event_package_id: "1001",
  });
  expect(await queryOf("/select-package/2?participant_id=102", /^Buy /)).toEqual({
    type: "package",
    package_id: "2",
    participant_id: "102",
  });
  expect(await queryOf("/packages", /^Start free trial/)).toEqual({ type: "trial", subscription_id: "1" });
});

journey("two filters chosen before the address has changed are both applied (LIST-3)", async (page) => {
  await page.goto("/upcoming");
  await page.within(".fixture-row--columns").appears();
  const [sport, gender] = [await page.list("Sport", "Hockey"), await page.list("Gender", "Women")];
  fireEvent.change(sport, { target: { value: "hockey" } });
  fireEvent.change(gender, { target: { value: "female" } });
  await page.isAt(/sport=hockey/);
  await page.isAt(/gender=female/);
});
