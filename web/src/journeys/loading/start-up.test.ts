// @vitest-environment jsdom
import { expect, vi } from "vitest";
import { journey } from "../testing/journey";

const DAY_MS = 86_400_000;
const API_KEY = "POST /api/get_api_key";
const PARTS = ["GET /api/participants", "GET /api/channel-bootstrap-data"];

journey(
  "a channel without a key offers Reload after a minute, and recovers with it (START-5a, START-5b, START-5c, START-5d, ERR-2)",
  async (page) => {
    const broken = { status: 500, body: { message: "no" } };
    page.channel.fail("GET /keys/{hostname}.json", broken);
    page.channel.fail(API_KEY, broken);
    await page.goto("/");
    await page.sees("Apologies! Our service is currently experiencing technical difficulties.");
    await page.main.sees(/^Reload in \d+ s$/);
    const remaining = (): number => Number(/Reload in (\d+) s/.exec(page.main.text())?.[1]);
    expect(remaining()).toBeGreaterThan(55);
    expect(remaining()).toBeLessThanOrEqual(60);
    for (let second = 0; second < 3; second += 1) {
      const before = remaining();
      await page.pass(1_000);
      expect(remaining()).toBe(before - 1);
    }
    expect(page.can(/^Reload/)).toBe(false);
    await page.pass(55_000);
    expect(page.can(/^Reload/)).toBe(false);
    await page.pass(3_000);
    expect(page.can("Reload")).toBe(true);
    page.channel.heal();
    const keys = page.channel.requests(API_KEY).length;
    const before = document.getElementById("root");
    await page.press("Reload");
    await page.main.sees("Schools");
    expect(page.channel.requests(API_KEY)).toHaveLength(keys + 1);
    expect(document.getElementById("root")).not.toBe(before);
    expect(page.has("Apologies!")).toBe(false);
  },
);

journey("with a stored key and snapshot the site is ready before any call is answered (START-6a)", async (page) => {
  await page.goto("/packages");
  await page.main.sees("Kestrels winter pass");
  // Until the snapshot is stored, and no longer fresh.
  await page.pass(120_000);
  const keys = page.channel.requests(API_KEY).length;
  const before = PARTS.map((part) => page.channel.requests(part).length);
  for (const part of [...PARTS, "GET /api/packages"]) page.channel.fail(part, "silent");
  await page.goto("/packages");
  await page.main.sees("Kestrels winter pass");
  // The calls are sent meanwhile, with the stored key.
  await page.browser.until(() =>
    expect(PARTS.map((part) => page.channel.requests(part).length)).toEqual(before.map((count) => count + 1)),
  );
  expect(page.channel.requests(API_KEY)).toHaveLength(keys);
  page.channel.heal();
});

journey("the site is available in French too, and stays so for 360 days (START-7a, LIM-2)", async (page) => {
  await page.goto("/schedule");
  await page.within("main h1", "Schedule").appears();
  await page.press("Français");
  await page.within("main h1", "Calendrier").appears();
  await page.reload();
  await page.within("main h1", "Calendrier").appears();
  vi.setSystemTime(Date.now() + 359 * DAY_MS);
  await page.goto("/faq");
  await page.within("main h1", "Questions et réponses").appears();
  vi.setSystemTime(Date.now() + 361 * DAY_MS);
  await page.goto("/about");
  await page.goto("/faq");
  await page.within("main h1", "Questions and answers").appears();
});

journey("a link opens a channel's popup by its name (PAGE-3)", async (page) => {
  await page.goto("/?modal=welcome");
  await page.dialog("The winter pass is here").press("See the pass");
  await page.isAt(/^\/select-package\/1/);
});

journey("a visitor's key is replaced after 30 days (CALL-1e)", async (page) => {
  const keys = () => page.channel.requests("POST /api/get_api_key").length;
  const used = () => page.channel.exchanges.filter(({ key }) => key !== null).at(-1)?.key;
  await page.goto("/faq");
  await page.settles();
  const first = used();
  vi.setSystemTime(Date.now() + 28 * DAY_MS);
  await page.goto("/faq");
  await page.settles();
  expect([keys(), used()]).toEqual([1, first]);
  vi.setSystemTime(Date.now() + 3 * DAY_MS);
  await page.goto("/faq");
  await page.browser.until(() => expect(keys()).toBe(2));
  await page.goto("/packages");
  await page.settles();
  expect([keys(), used() === first]).toEqual([2, false]);
});

journey(
  "settings, menus, pages, colours, slides, prerolls, language and analytics come from the server (START-1b)",
  async (page) => {
    const { catalogue } = page.channel.state;
    Object.assign(catalogue.settings, {
      name: "Fjord Sports",
      analytics: { consent: true, respect_dnt: true },
      prerolls: [
        { ...(catalogue.settings.prerolls as object[])[0], id: 77, url: "/media/x/s/p77/open/v1/master.m3u8" },
      ],
    });
    catalogue.menu.header = [{ name: "Quai", url: "/quai" }];
    Object.assign(catalogue.pages[0] ?? {}, { url: "/quai", name: "Quai 9", content: "Ouvert **dès midi**." });
    Object.assign(catalogue.slides[0] ?? {}, { title: "Ouverture", text: "Premier match", event_id: undefined });
    Object.assign(page.browser.config, { language: "fr", colors: { accent: "#123456" } });
    await page.goto("/");
    await page.sees("Autoriser les statistiques d’utilisation ?");
    await page.main.sees("Ouverture");
    await page.within("header").press("Quai");
    await page.within("main h1", "Quai 9").appears();
    await page.main.sees("Ouvert dès midi.");
    await page.browser.until(() => expect(document.title).toBe("Quai 9 · Fjord Sports"));
    expect(getComputedStyle(document.documentElement).getPropertyValue("--accent")).toBe("#123456");
    document.documentElement.removeAttribute("style");
    await page.goto("/watch/25");
    await page.settles();
    await page.main.press("Regarder");
    await page.browser.until(() => expect(page.browser.media.streams).toContain("p77"));
  },
);
