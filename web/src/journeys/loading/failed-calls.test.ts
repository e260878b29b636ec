// @vitest-environment jsdom
import { expect } from "vitest";
import { journey, type Page, VERA } from "../testing/journey";

const KEYS = "GET /keys/{hostname}.json";
const API_KEY = "POST /api/get_api_key";
const PROFILE = "GET /api/profile";
const EVENTS = "GET /api/events";
const RAILS = "GET /api/vod-media-rails";
const LIBRARY = [RAILS, "GET /api/vod-media-categories", "GET /api/vod-media-items"];
const APOLOGIES = "Apologies! Our service is currently experiencing technical difficulties.";

const refusal = (status: number, code: string, message: string) => ({ status, body: { message, code, errors: {} } });
const wrongKey = (key: string) => ({
  status: 400,
  body: { message: "No channel or api key found.", code: key, errors: { [key]: ["Wrong key."] } },
});

/** The operations that arrived after the first `count` requests. */
const operationsSince = ({ channel }: Page, count: number): string[] =>
  channel.exchanges.slice(count).map(({ operation }) => operation);
const errorLog = ({ channel }: Page): string => JSON.stringify(channel.state.errors);
const notices = (page: Page) => page.within('[aria-label="Notifications"]');

journey(
  "start-up requests its keys, then people and channel in parallel, behind a loading screen (START-2a, START-2b, START-2c)",
  async (page) => {
    const parts = ["GET /api/participants", "GET /api/channel-bootstrap-data"];
    // Neither is answered, so neither can wait for the other.
    for (const part of parts) page.channel.fail(part, "silent");
    await page.goto("/");
    await page.browser.until(() => expect(operationsSince(page, 0)).toEqual(expect.arrayContaining(parts)));
    const calls = operationsSince(page, 0).filter((operation) => operation !== "POST /datalake/batch");
    expect(calls.slice(0, 2)).toEqual([KEYS, API_KEY]);
    // Only a signed-in viewer has a profile.
    expect(calls).not.toContain(PROFILE);
    await page.within('[role="status"]', /\S/).appears();
    expect(page.all("main h1")).toEqual([]);
    page.channel.heal();
    // Until the first requests have timed out.
    await page.pass(32_000);
    await page.within("main h1").appears();
  },
);

journey("start-up requests a signed-in viewer's profile beside people and channel (START-2a)", async (page) => {
  const parts = [PROFILE, "GET /api/participants", "GET /api/channel-bootstrap-data"];
  await page.signIn();
  for (const part of parts) page.channel.fail(part, "silent");
  await page.goto("/");
  await page.browser.until(() => expect(operationsSince(page, 0)).toEqual(expect.arrayContaining(parts)));
  page.channel.heal();
});

journey(
  "a proxy's error signs nobody out, the channel's refusal does (START-3, AUTH-3, ERR-1, ERR-6)",
  async (page) => {
    await page.signIn();
    await page.goto("/");
    const header = page.within("header");
    await header.sees(`Your account, ${VERA.first_name}`);
    // Until the snapshot is stored.
    await page.pass(1_500);
    const refused = async (): Promise<void> => {
      const before = page.channel.requests(PROFILE).length;
      await page.goto("/faq");
      await page.main.sees("Questions and answers");
      await page.browser.until(() => expect(page.channel.requests(PROFILE).length).toBeGreaterThan(before));
    };
    page.channel.fail(PROFILE, { status: 502, body: "<h1>Bad gateway</h1>" });
    await refused();
    await page.pass(1_500);
    expect(header.has(`Your account, ${VERA.first_name}`)).toBe(true);
    expect(header.has(/^log in$/i)).toBe(false);
    await page.goto("/profile");
    await page.within("main h1", VERA.first_name).appears();
    page.channel.heal();
    page.channel.fail(PROFILE, refusal(401, "unauthenticated", "user must be logged in"));
    await refused();
    await header.sees(/^log in$/i);
  },
);

journey("any call answered with unauthenticated signs the viewer out (AUTH-3)", async (page) => {
  await page.signIn();
  await page.goto("/");
  const header = page.within("header");
  await header.sees(`Your account, ${VERA.first_name}`);
  page.channel.fail("GET /api/orders", refusal(401, "unauthenticated", "user must be logged in"), 1);
  await header.press(/^Your account/);
  await page.isAt(/^\/login/);
  await header.sees(/^log in$/i);
});

for (const key of ["api_key", "channel_key"])
  journey(`a refused ${key} is fetched again, and the page continues (ERR-1, ERR-4, ERR-5)`, async (page) => {
    await page.goto("/faq");
    await page.main.sees("Questions and answers");
    await page.pass(2_000);
    const before = page.channel.exchanges.length;
    page.channel.fail(EVENTS, wrongKey(key), 1);
    await page.goto("/upcoming");
    await page.main.sees("Westhaven @ Northfield");
    await page.browser.until(() => expect(operationsSince(page, before)).toContain(API_KEY));
    const queryOf = ({ query }: { query: URLSearchParams }): string => String(query).replace(/api_key=[^&]*/, "");
    await page.browser.until(() => {
      const calls = page.channel.requests(EVENTS);
      const refused = calls.find(({ status }) => status === 400);
      const [first, again] = calls.filter((one) => refused && queryOf(one) === queryOf(refused));
      expect([first?.status, again?.status]).toEqual([400, 200]);
      expect(again?.key).not.toBe(first?.key);
    });
    // With the channel's key both are fetched again. Later reads of the keys' file are probes (CALL-14).
    const operations = operationsSince(page, before);
    const fetching = operations.slice(operations.indexOf(EVENTS), operations.indexOf(API_KEY));
    expect(fetching.includes(KEYS)).toBe(key === "channel_key");
  });

journey(
  "a failed call is retried after a second and sent to the error log, and the page stays (ERR-1, ERR-7, ERR-9, LIM-1, START-4)",
  async (page) => {
    await page.goto("/");
    await page.within("main h1").appears();
    for (const call of LIBRARY) page.channel.fail(call, refusal(500, "internal", "It broke."));
    await page.press("Library");
    await page.browser.until(() => expect(page.channel.requests(RAILS)).toHaveLength(1));
    await page.pass(950);
    expect(page.channel.requests(RAILS)).toHaveLength(1);
    await page.main.sees("Something went wrong. Please try again or contact technical support.");
    expect(page.channel.requests(RAILS).length).toBeGreaterThan(1);
    await page.browser.until(() => expect(errorLog(page)).toContain("vod-media-rails"));
    expect(errorLog(page)).not.toContain("api_key=");

    // Without the bundle the stored page stays, and the failure is logged.
    page.channel.heal();
    page.channel.fail("GET /api/channel-bootstrap-data", refusal(500, "internal", "No bundle."));
    await page.pass(120_000);
    await page.goto("/faq");
    await page.within("main h1").appears();
    await page.browser.until(() => expect(errorLog(page)).toContain("channel-bootstrap-data"));
    expect(page.has(APOLOGIES)).toBe(false);
  },
);

journey("throttling shows one notice for five seconds, and the page can be reloaded (ERR-1, TOAST-1)", async (page) => {
  await page.goto("/faq");
  await page.within("main h1").appears();
  for (const call of LIBRARY) page.channel.fail(call, refusal(429, "too_many", "Slow down."));
  await page.press("Library");
  await notices(page).sees("Too many requests. Please try again in a moment.");
  const refused = (): number => LIBRARY.flatMap((call) => page.channel.requests(call)).length;
  await page.browser.until(() => expect(refused()).toBeGreaterThan(1));
  for (let second = 0; second < 4; second += 1) {
    expect(notices(page).all('[role="alert"].toast--error')).toHaveLength(1);
    await page.pass(1_000);
  }
  await page.pass(1_500);
  expect(notices(page).has("Too many requests")).toBe(false);
  const before = refused();
  await page.main.press("Try again");
  await page.browser.until(() => expect(refused()).toBeGreaterThan(before));
  page.channel.heal();
  await page.main.press("Try again");
  await page.main.sees("Ten plays of the week");
});

journey("leaving a list before it loads cancels the call without a failure (ERR-3)", async (page) => {
  await page.goto("/faq");
  await page.main.sees("Questions and answers");
  await page.pass(2_000);
  page.channel.fail(EVENTS, "silent");
  await page.press("Schedule");
  await page.browser.until(() => expect(page.channel.requests(EVENTS).length).toBeGreaterThan(0));
  await page.press("FAQ");
  await page.main.sees("Questions and answers");
  await page.browser.until(() => expect(page.channel.pending).toBe(0));
  const requests = page.channel.requests(EVENTS).length;
  // Longer than the delay before a failed call's retry.
  await page.pass(1_300);
  expect(page.channel.requests(EVENTS)).toHaveLength(requests);
  expect(page.channel.state.errors).toEqual([]);
  expect(page.all('[role="alert"]')).toEqual([]);
  page.channel.heal();
  await page.press("Schedule");
  await page.within(".fixture-row--columns").appears();
});

journey("a missing form leaves its page, a failing one covers it until it loads (ERR-6, ERR-9)", async (page) => {
  const form = "GET /api/custom-forms/{alias}";
  page.channel.fail(form, refusal(404, "not_found", "Not found."));
  await page.goto("/contacts");
  await page.within("main h1", "Contacts").appears();
  await page.browser.until(() => expect(page.channel.requests(form)[0]?.status).toBe(404));
  await page.pass(1_500);
  expect(page.all("main form")).toEqual([]);

  page.channel.heal();
  page.channel.fail(form, refusal(500, "internal", "It broke."));
  await page.reload();
  await page.sees(APOLOGIES);
  expect(page.within("main h1", "Contacts").isThere()).toBe(false);
  page.channel.heal();
  await page.press("Try again");
  await page.within("main h1", "Contacts").appears();
  await page.lacks(APOLOGIES);
});
