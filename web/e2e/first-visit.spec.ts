import type { Page } from "@playwright/test";
import { expect, test } from "./support/journey";

const PHONE = { width: 390, height: 844 };
const SITE = /\/assets\/site-[^/]*\.js$/;

interface Recorded {
  readonly path: string;
  readonly body: { readonly [field: string]: unknown };
}

/** Reads the events that the page sends to the datalake. */
function recordedBy(page: Page): (path: string) => Recorded["body"][] {
  const sent: string[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).pathname === "/datalake/batch") sent.push(request.postData() ?? "");
  });
  return (path) => {
    const events = sent.filter(Boolean).flatMap((body) => (JSON.parse(body) as { events: Recorded[] }).events);
    return events.filter((event) => event.path === path).map(({ body }) => body);
  };
}

test.describe("a link of the first screen", () => {
  test.use({ viewport: PHONE, serviceWorkers: "block", sharesWorker: true });

  test("pressed at the first paint on a slow phone records the visit and the viewer's referrer (NAV-4, NAV-5, NAV-6, NAV-10a, NAV-10b)", async ({
    page,
    worker,
  }) => {
    test.setTimeout(120_000);
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("Emulation.setCPUThrottlingRate", { rate: 4 });
    let release = () => undefined as void;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(SITE, async (route) => {
      await released;
      await route.continue().catch(() => undefined);
    });
    const recorded = recordedBy(page);
    await page.goto(`${worker.origin}/?trk=flyer`, { referer: "https://news.example/", waitUntil: "commit" });
    const first = page.locator("#first");
    await first.getByRole("heading", { level: 1 }).waitFor();
    await first.locator('.event-card a[href^="/watch/"], a.event-card[href^="/watch/"]').first().click();
    await expect(page).toHaveURL(/\/watch\/\d+/);
    release();
    await expect(first).toHaveCount(0, { timeout: 60_000 });
    await expect.poll(() => recorded("/datalake/event/").length, { timeout: 60_000 }).toBeGreaterThanOrEqual(2);
    const watched = new URL(page.url()).pathname;
    expect(recorded("/datalake/event/")).toMatchObject([
      { event: "visit", extras: { page: "/", previous: null }, trk: "flyer" },
      { event: "visit", extras: { page: watched, previous: "/" }, trk: "flyer" },
    ]);
    const sessions = recorded("/datalake/session/");
    expect(sessions).toMatchObject([{ trk: "flyer", referrer: "https://news.example" }]);
  });

  test("navigates within the site once its script has taken over (NAV-9, NAV-10c)", async ({ page, worker }) => {
    // The first screen's list never arrives: the first screen stays visible over the started site for a while.
    const recorded = recordedBy(page);
    let loads = 0;
    page.on("framenavigated", (frame) => {
      if (frame === page.mainFrame()) loads += 1;
    });
    await page.addInitScript(() => {
      document.addEventListener("DOMContentLoaded", () => {
        const title = document.querySelector("#first h1");
        if (title) title.textContent += " ";
      });
    });
    await page.goto(`${worker.origin}/?trk=flyer`, { waitUntil: "commit" });
    const first = page.locator("#first");
    await page.locator("#root h1").waitFor({ state: "attached" });
    const link = first.locator('a[href^="/watch/"]').first();
    await link.click();
    await expect(page).toHaveURL(/\/watch\/\d+/);
    await expect(first).toHaveCount(0);
    await expect(page.locator("#root").getByRole("heading", { level: 1 })).toBeVisible();
    expect(await page.evaluate(() => performance.getEntriesByType("navigation")[0]?.name)).toContain("/?trk=flyer");
    expect(loads).toBeGreaterThan(0);
    await expect.poll(() => recorded("/datalake/event/").length, { timeout: 30_000 }).toBeGreaterThanOrEqual(2);
  });
});
