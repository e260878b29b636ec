// @vitest-environment jsdom
import { expect } from "vitest";
import { journey, type Page } from "../testing/journey";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const PATHS = ["/", "/live", "/schedule", "/watch/25", "/watch/3", "/packages", "/profile"];

/** The page's texts, in order. A countdown's seconds pass while a journey waits. */
function textOf({ main }: Page): string[] {
  const texts: string[] = [];
  for (const element of main.all(":not(.countdown *)"))
    for (const node of element.childNodes)
      if (node.nodeType === Node.TEXT_NODE && node.textContent?.trim()) texts.push(node.textContent.trim());
  return texts;
}

/** Waits until the screen and its lists are loaded: its texts are still. */
async function loads(page: Page): Promise<void> {
  let before: string[] = [];
  for (let texts = textOf(page); texts.length < 5 || texts.join() !== before.join(); texts = textOf(page)) {
    before = texts;
    await page.settles();
    await page.pass(100);
  }
}

/**
 * The texts of the site's pages, each once it has settled. Each page opens at the start of a minute, since texts like
 * "20 min" change with the minutes.
 */
async function textsOf(page: Page): Promise<{ [path: string]: string[] }> {
  const texts: { [path: string]: string[] } = {};
  for (const path of PATHS) {
    await page.pass(MINUTE - (Date.now() % MINUTE));
    await page.goto(path);
    await loads(page);
    texts[path] = textOf(page);
  }
  return texts;
}

let right: { [path: string]: string[] } = {};

const signIn = (page: Page) => page.signIn({ capabilities: ["watch", "vod_media"] });

// Loading code takes real time, in which the clock of a journey advances by minutes.
journey("the pages' code is loaded", async (page) => {
  await signIn(page);
  for (const path of PATHS) {
    await page.goto(path);
    await loads(page);
  }
});

journey("pages of a device whose clock is right (START-8)", async (page) => {
  await signIn(page);
  right = await textsOf(page);
  expect(right["/live"]?.join("|")).toContain("Today");
});

for (const [title, error] of [
  ["3 hours behind", -3 * HOUR],
  ["a day ahead", DAY],
  ["400 days ahead", 400 * DAY],
  ["400 days behind", -400 * DAY],
] as const)
  journey(
    `a clock ${title} changes no text of any page (START-8a)`,
    async (page) => {
      await signIn(page);
      const texts = await textsOf(page);
      for (const path of PATHS) expect(texts[path], path).toEqual(right[path]);
    },
    error,
  );

journey(
  "a clock that is set while a page is open is corrected, and again once it is right (START-8b)",
  async (page) => {
    await page.goto("/live");
    await loads(page);
    for (const error of [DAY, 0]) {
      page.browser.setClock(error);
      // The viewer returns: a phone wakes up.
      document.dispatchEvent(new Event("visibilitychange"));
      await page.pass(61_000);
      expect(textOf(page), `${error}`).toContain("Today");
    }
  },
);

journey(
  "a television's code is valid for its time, on a clock a day ahead (START-8a)",
  async (page) => {
    await page.goto("/device");
    await page.main.sees(/^[A-Z0-9]{4,}/);
    await page.pass(20_000);
    expect(page.channel.requests("POST /api/auth/session_code")).toHaveLength(1);
  },
  DAY,
);

journey(
  "events keep the device's time, and the log has the correction (START-8c, START-8d, ANA-9)",
  async (page) => {
    page.browser.config.public.analytics_allow_localhost = true;
    await page.goto("/live");
    await page.settles();
    await page.pass(40_000);
    const [batch] = page.channel.requests("POST /datalake/batch");
    const times = JSON.stringify(batch?.body).matchAll(/"(?:at|sent_at)":"([^"]+)"/g);
    const errors = [...times].map(([, at = ""]) => Math.abs(Date.parse(at) - Date.now()));
    expect(errors.length).toBeGreaterThan(1);
    expect(Math.max(...errors)).toBeLessThan(HOUR);
    document.dispatchEvent(new Event("touchline:export-log"));
    await page.pass(500);
    const [log] = await page.browser.savedFiles();
    expect(log?.split('"clock/corrected"')).toHaveLength(2);
  },
  DAY,
);

for (const [title, error, corrections] of [
  ["a day behind is corrected once", -DAY, 1],
  ["a second ahead is not corrected", 1_000, 0],
] as const)
  journey(
    `a clock ${title} (START-8c)`,
    async (page) => {
      await page.goto("/live");
      await loads(page);
      expect((await page.exportedLog()).split('"clock/corrected"')).toHaveLength(corrections + 1);
    },
    error,
  );

journey("an answer that a cache or the service worker stored corrects no clock (START-8b)", async (page) => {
  const { fetch } = page.channel;
  for (const header of ["age", "x-touchline-stale"]) {
    Object.assign(page.channel, {
      fetch: async (...request: Parameters<typeof fetch>) => {
        const answer = await fetch(...request);
        answer.headers.set("date", new Date(Date.now() - DAY).toUTCString());
        answer.headers.set(header, "86400");
        return answer;
      },
    });
    await page.goto("/live");
    await loads(page);
    expect(textOf(page), header).toContain("Today");
    expect(await page.exportedLog(), header).not.toContain('"clock/corrected"');
  }
});
