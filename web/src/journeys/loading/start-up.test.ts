// @vitest-environment jsdom
import { expect, vi } from "vitest";
import { journey } from "../testing/journey";

const DAY_MS = 86_400_000;

journey("a channel without a key offers Reload after a minute, and recovers with it (START-5, ERR-2)", async (page) => {
  const broken = { status: 500, body: { message: "no" } };
  page.channel.fail("GET /keys/{hostname}.json", broken);
  page.channel.fail("POST /api/get_api_key", broken);
  await page.goto("/");
  await page.sees("Apologies! Our service is currently experiencing technical difficulties.");
  await page.main.sees(/^Reload in \d+ s$/);
  expect(page.can(/^Reload/)).toBe(false);
  await page.pass(58_000);
  expect(page.can(/^Reload/)).toBe(false);
  await page.pass(3_000);
  expect(page.can("Reload")).toBe(true);
  page.channel.heal();
  await page.press("Reload");
  await page.main.sees("Schools");
});

journey("the site is available in French too, and stays so for 360 days (START-7, LIM-2)", async (page) => {
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
