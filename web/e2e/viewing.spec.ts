import type { Page } from "@playwright/test";
import { waitingAnalytics } from "./support/analytics";
import { type Between, test } from "./support/between";
import { readViewings } from "./support/books";
import { expect } from "./support/journey";
import { kill } from "./support/kill";

/** In `make soak` a hundred; some of them are killed. */
const SESSIONS = Number(process.env.SESSIONS ?? 4);
/** A viewing that said its end has its row after twenty seconds, and is shipped within five. */
const PATIENCE = { timeout: 60_000, intervals: [1_000] };

/** What the page itself saw of one session, milliseconds. */
interface Truth {
  readonly startup: number;
  readonly rebuffered: number;
  readonly rebuffers: number;
}

/** Has the page write down when its video was pressed, showed its first frame, ran dry and went on. */
async function observe(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const seen = { pressed: 0, first: 0, dry: 0, rebuffered: 0, rebuffers: 0 };
    Object.assign(window, { seen });
    addEventListener(
      "click",
      (event) => {
        const button = (event.target as Element).closest?.("button");
        if (button?.textContent?.trim() === "Watch") seen.pressed = performance.now();
      },
      true,
    );
    addEventListener(
      "playing",
      () => {
        const now = performance.now();
        seen.first ||= now;
        if (seen.dry > 0) seen.rebuffered += now - seen.dry;
        seen.dry = 0;
      },
      true,
    );
    addEventListener(
      "waiting",
      (event) => {
        if (seen.first === 0 || seen.dry > 0 || (event.target as HTMLVideoElement).seeking) return;
        seen.dry = performance.now();
        seen.rebuffers += 1;
      },
      true,
    );
  });
}

const truthOf = (page: Page): Promise<Truth> =>
  page.evaluate(() => {
    const { seen } = window as unknown as {
      seen: { pressed: number; first: number; rebuffered: number; rebuffers: number };
    };
    return { startup: seen.first - seen.pressed, rebuffered: seen.rebuffered, rebuffers: seen.rebuffers };
  });

const time = (page: Page) => page.locator("video").evaluate((video: HTMLVideoElement) => video.currentTime);

/** Plays a recording on a slow way that breaks off for a while once its first parts are there. */
async function watch(page: Page, between: Between, { slow, dry }: { slow: number; dry: number }): Promise<void> {
  let isShut = true;
  between.answer = async ({ url = "" }) => {
    if (/\.m3u8|\/init|seg_/.test(url)) await new Promise((resolve) => setTimeout(resolve, slow));
    return isShut && /seg_(?!000)/.test(url) ? { status: 503, headers: {}, body: "" } : null;
  };
  await page.goto("/vod_library/1");
  await page.getByRole("main").getByRole("button", { name: "Watch" }).click();
  await expect.poll(() => time(page), { timeout: 30_000 }).toBeGreaterThan(3);
  // The first part is four seconds long.
  await expect
    .poll(() => page.evaluate(() => (window as unknown as { seen: { rebuffers: number } }).seen.rebuffers))
    .toBeGreaterThan(0);
  await page.waitForTimeout(dry);
  isShut = false;
  await expect.poll(() => time(page), { timeout: 30_000 }).toBeGreaterThan(6);
}

/** What is told is off by 50 ms at the median, and by 150 at p95, at most (QOE-1). */
function expectClose(what: string, off: readonly number[]): void {
  const sorted = off.map(Math.abs).toSorted((a, b) => a - b);
  const share = (of: number) => sorted[Math.ceil(sorted.length * of) - 1] ?? 0;
  const [median, p95] = [share(0.5), share(0.95)].map(Math.round);
  console.log(`${what} of ${off.length} sessions is off by ${median} ms at the median, ${p95} ms at p95`);
  expect(median, what).toBeLessThanOrEqual(50);
  expect(p95, what).toBeLessThanOrEqual(150);
}

/** Until no analytics wait in the browser: its storage goes with its context. */
const untilSent = (page: Page): Promise<void> => expect.poll(() => waitingAnalytics(page), PATIENCE).toBe(0);

test("how well a video played is told as the page saw it, of a tab that was killed too (QOE-1)", async ({
  browser,
  between,
  worker,
}) => {
  test.setTimeout(60_000 + SESSIONS * 30_000);
  const truths: Truth[] = [];
  for (let n = 0; n < SESSIONS; n++) {
    // A browser of its own: what another session has loaded is not in its cache.
    const context = await browser.newContext({ baseURL: between.origin });
    const tab = await context.newPage();
    await observe(tab);
    await watch(tab, between, { slow: 20 + 40 * (n % 4), dry: 300 + 400 * (n % 3) });
    truths.push(await truthOf(tab));
    // Every fourth is killed: its last report is that of the end of the last wait.
    if (n % 4 !== 3) await tab.goto("/faq");
    await untilSent(tab);
    if (n % 4 === 3) await kill(context, tab);
    await context.close();
  }
  const said = truths.filter((_, n) => n % 4 !== 3);
  await expect.poll(() => readViewings(worker.data).viewings.length, PATIENCE).toBe(said.length);
  const { viewings, reports } = readViewings(worker.data);
  for (const [n, viewing] of viewings.entries()) {
    const truth = said[n] as Truth;
    expect(viewing.ending).toBe("left");
    expect(viewing.rebuffer_count).toBe(truth.rebuffers);
    expect(viewing.content).toBe("vod 1");
  }
  expectClose(
    "startup",
    viewings.map(({ startup_time }, n) => startup_time * 1_000 - (said[n]?.startup ?? 0)),
  );
  expectClose(
    "rebuffering",
    viewings.map(({ rebuffer_time }, n) => rebuffer_time * 1_000 - (said[n]?.rebuffered ?? 0)),
  );
  // Every tab is there, and each once: those that were killed have their row after a quarter of an hour.
  expect(new Set(viewings.map(({ viewing }) => viewing)).size).toBe(said.length);
  expect(reports).toHaveLength(SESSIONS);
  const killed = reports.filter(({ sid }) => !viewings.some(({ viewing }) => viewing === sid));
  for (const [n, { rebuffers }] of killed.entries()) expect(rebuffers).toBe(truths[4 * n + 3]?.rebuffers);
});
