import { expect } from "@playwright/test";
import { type Own, test } from "../support/proxyJourney";
import { untilSettled } from "../support/settled";
import { register } from "../support/viewer";

const json = (status: number, body: object): Own => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});
const pathOf = (url = ""): string => new URL(url, "http://site").pathname;

test("a start asks for its keys, then for people and channel side by side, behind a loader (START-2)", async ({
  page,
  between,
}) => {
  const asked: string[] = [];
  let meet: (() => void) | undefined;
  const both = new Promise<void>((resolve) => {
    meet = resolve;
  });
  const isPart = (path: string): boolean => /\/(?:participants|channel-bootstrap-data)$/.test(path);
  between.answer = async ({ url }) => {
    const path = pathOf(url);
    if (/\/(?:keys|api)\//.test(path)) asked.push(path.replace(/^\/keys\/.*/, "/keys"));
    if (!isPart(path)) return null;
    if (new Set(asked.filter(isPart)).size === 2) setTimeout(() => meet?.(), 500);
    // Neither is answered before the other is asked for.
    await both;
    return null;
  };
  // The page brings these answers along for a start that is fresh (FAST-3): here it asks.
  await page.route(
    ({ pathname }) => pathname === "/",
    async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace(/<script [^>]*id="touchline-answers">.*?<\/script>/s, "");
      await route.fulfill({ response, body });
    },
  );
  await page.goto("/");
  await expect(page.getByRole("status").filter({ hasText: /\S/ }).first()).toBeVisible();
  await expect(page.locator("#root").getByRole("heading", { level: 1 })).toBeVisible({ timeout: 30_000 });
  const [first, second, ...others] = asked;
  expect([first, second]).toEqual(["/keys", "/api/get_api_key"]);
  expect(others.findIndex(isPart)).toBeGreaterThanOrEqual(0);
  // Only who is logged in has a profile.
  expect(others).not.toContain("/api/profile");
});

test("a proxy's error takes no login away, the channel's refusal does (START-3, AUTH-3, ERR-1, ERR-6)", async ({
  page,
  between,
}) => {
  await register(page);
  const login = page.getByRole("banner").getByRole("link", { name: "Log in" });
  const refusing = async (own: Own): Promise<void> => {
    let refused = 0;
    between.answer = ({ url }) => {
      if (pathOf(url) !== "/api/profile") return null;
      refused += 1;
      return own;
    };
    await page.goto("/faq");
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect.poll(() => refused).toBeGreaterThan(0);
  };
  await refusing({ status: 502, headers: { "content-type": "text/html" }, body: "<h1>Bad gateway</h1>" });
  await expect(login).toHaveCount(0);
  await page.goto("/profile");
  await expect(page.getByRole("heading", { level: 1, name: /Verapersonal/ })).toBeVisible();
  await refusing(json(401, { message: "user must be logged in", code: "unauthenticated", errors: {} }));
  await expect(login).toBeVisible();
});

test("a refused key is had anew, and the page goes on (ERR-1, ERR-4, ERR-5)", async ({ page, between }) => {
  await page.goto("/faq");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  // What this page asks for at its start is none of the next one's.
  await untilSettled(page);
  for (const key of ["api_key", "channel_key"]) {
    const asked: { readonly path: string; readonly call: string; readonly key: string | null }[] = [];
    let refused: string | null = null;
    between.answer = ({ url = "" }) => {
      const path = pathOf(url);
      const call = url.replace(/api_key=[^&]*/, "");
      if (/\/(?:keys\/|api\/(?:get_api_key|events$))/.test(path)) {
        const key = new URL(url, "http://site").searchParams.get("api_key");
        asked.push({ path, call, key });
      }
      if (path !== "/api/events" || refused !== null) return null;
      refused = call;
      return json(400, { message: "No channel or api key found.", code: key, errors: { [key]: ["Wrong key."] } });
    };
    await page.goto("/upcoming");
    await expect(page.locator("#root").getByText("Westhaven @ Northfield").first()).toBeVisible();
    const paths = () => asked.map(({ path }) => path.replace(/^\/keys\/.*/, "/keys"));
    await expect.poll(paths, key).toContain("/api/get_api_key");
    // Of the channel's key both are had anew.
    expect(paths().includes("/keys"), key).toBe(key === "channel_key");
    const calls = () => asked.filter(({ call }) => call === refused);
    await expect.poll(() => calls().length, key).toBeGreaterThan(1);
    const [first, second] = calls();
    expect(second?.key, key).not.toBe(first?.key);
  }
});

test("a failed call is tried again after a second and told to the error log, and the page stands (ERR-1, ERR-7, ERR-9, LIM-1, START-4)", async ({
  page,
  between,
}) => {
  await page.goto("/");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  const logged: string[] = [];
  page.on("request", (request) => {
    if (pathOf(request.url()) === "/api/error-log") logged.push(request.postData() ?? "");
  });
  const calls: number[] = [];
  between.answer = ({ url }) => {
    if (!/\/api\/(?:vod-media-rails|vod-media-categories|vod-media-items)$/.test(pathOf(url))) return null;
    if (pathOf(url) === "/api/vod-media-rails") calls.push(Date.now());
    return json(500, { message: "It broke.", code: "internal", errors: {} });
  };
  // A library that is loaded brings its first answers along: this one is come to from another page.
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Library" }).click();
  await expect(
    page.getByText("Something went wrong. Please try again or contact technical support.").first(),
  ).toBeVisible({
    timeout: 20_000,
  });
  expect((calls[1] ?? 0) - (calls[0] ?? 0)).toBeGreaterThanOrEqual(950);
  await expect.poll(() => logged.join(), { timeout: 15_000 }).toContain("vod-media-rails");
  expect(logged.join()).not.toContain("api_key=");

  // Without the bundle the page that is kept stands, and the failure is logged.
  between.answer = ({ url }) =>
    pathOf(url) === "/api/channel-bootstrap-data"
      ? json(500, { message: "No bundle.", code: "internal", errors: {} })
      : null;
  await page.clock.install({ time: Date.now() + 120_000 });
  await page.goto("/faq");
  await page.clock.runFor(5_000);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect.poll(() => logged.join(), { timeout: 15_000 }).toContain("channel-bootstrap-data");
});

test("too many requests are one notice for five seconds, and the page can be asked again (ERR-1, TOAST-1)", async ({
  page,
  between,
}) => {
  await page.clock.install();
  await page.goto("/faq");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  let refused = 0;
  between.answer = ({ url }) => {
    if (!/\/api\/vod-media/.test(pathOf(url))) return null;
    refused += 1;
    return json(429, { message: "Slow down.", code: "too_many", errors: {} });
  };
  // The page's own clock goes on while the journey looks: the page notes when a notice comes and when it goes.
  await page.evaluate(() => {
    const noted: { at: number; notices: string[] }[] = [];
    Object.assign(window, { noted });
    new MutationObserver(() => {
      const notices = [...document.querySelectorAll(".toast")].map(
        (one) => `${one.getAttribute("role")} ${one.className} ${one.textContent}`,
      );
      if (notices.length !== (noted.at(-1)?.notices.length ?? 0)) noted.push({ at: Date.now(), notices });
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
  });
  const noted = () => page.evaluate(() => (window as never as { noted: { at: number; notices: string[] }[] }).noted);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Library" }).click();
  await expect.poll(async () => (await noted()).length).toBeGreaterThan(0);
  await page.clock.runFor(6_000);
  await expect.poll(async () => (await noted()).length).toBeGreaterThan(1);
  // What is asked again later may be refused again, and then said again: never twice at once.
  const all = await noted();
  expect(all.filter(({ notices }) => notices.length > 1)).toEqual([]);
  const [came, gone] = all;
  expect(refused).toBeGreaterThan(1);
  expect(came?.notices).toEqual([
    expect.stringMatching(/^alert .*toast--error.*Too many requests\. Please try again in a moment\./),
  ]);
  const stood = (gone?.at ?? 0) - (came?.at ?? 0);
  // It is in the page somewhat later than it was said.
  expect(stood).toBeGreaterThan(4_000);
  expect(stood).toBeLessThan(5_500);
  const again = page.getByRole("main").getByRole("button", { name: "Try again" }).first();
  const before = refused;
  await again.click();
  await expect.poll(() => refused).toBeGreaterThan(before);
  between.answer = () => null;
  // The page asks by itself as well, and may be there before the press.
  const shown = page.getByRole("main").getByText("Ten plays of the week").first();
  await expect(async () => {
    if (!(await shown.isVisible())) await again.click({ timeout: 1_000 });
    await expect(shown).toBeVisible({ timeout: 3_000 });
  }).toPass({ timeout: 30_000 });
});

test("a list that its viewer leaves before it comes is given up, and is no failure (ERR-3)", async ({
  page,
  between,
}) => {
  await page.goto("/faq");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  const told: string[] = [];
  page.on("request", (request) => {
    if (pathOf(request.url()) === "/api/error-log") told.push(request.postData() ?? "");
  });
  let asked = 0;
  between.answer = ({ url }) => {
    if (pathOf(url) !== "/api/events") return null;
    asked += 1;
    return new Promise<null>(() => undefined);
  };
  const main = page.getByRole("navigation", { name: "Main" });
  const left = page.waitForEvent("requestfailed", (request) => pathOf(request.url()) === "/api/events");
  await main.getByRole("link", { name: "Schedule" }).click();
  await expect.poll(() => asked).toBeGreaterThan(0);
  await main.getByRole("link", { name: "FAQ" }).click();
  expect((await left).failure()?.errorText).toBe("net::ERR_ABORTED");
  await expect(page.getByRole("heading", { level: 1, name: "Questions and answers" })).toBeVisible();
  const before = asked;
  // Longer than a failed call waits for its second try.
  await page.waitForTimeout(1_300);
  expect({ asked, told }).toEqual({ asked: before, told: [] });
  await expect(page.getByRole("alert")).toHaveCount(0);
  between.answer = () => null;
  await main.getByRole("link", { name: "Schedule" }).click();
  await expect(page.locator(".fixture-row--columns").first()).toBeVisible();
});

test("a form that is not there leaves its page, one that fails covers it until it is asked again (ERR-6, ERR-9)", async ({
  page,
  between,
}) => {
  const contacts = page.getByRole("heading", { level: 1, name: "Contacts" });
  const failing = (own: Own) => {
    between.answer = ({ url }) => (pathOf(url) === "/api/custom-forms/contact" ? own : null);
  };
  failing(json(404, { message: "Not found.", code: "not_found", errors: {} }));
  await page.goto("/contacts");
  await expect(contacts).toBeVisible();
  await expect(page.getByRole("main").locator("form")).toHaveCount(0);

  failing(json(500, { message: "It broke.", code: "internal", errors: {} }));
  await page.reload();
  const covered = page.getByRole("heading", {
    name: "Apologies! Our service is currently experiencing technical difficulties.",
  });
  await expect(covered).toBeVisible();
  await expect(contacts).toHaveCount(0);
  between.answer = () => null;
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(contacts).toBeVisible();
  await expect(covered).toHaveCount(0);
});
