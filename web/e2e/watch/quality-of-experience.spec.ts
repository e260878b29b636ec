import type { APIRequestContext, Page } from "@playwright/test";
import { analyticsProfile, waitingAnalytics } from "../support/analytics";
import { copiedChannels } from "../support/channels";
import { expect } from "../support/journey";
import { kill } from "../support/killTab";
import { type TestProxy, test } from "../support/proxyJourney";
import { readViewings } from "../support/records";
import type { Worker } from "../support/worker";

// The recording has no preroll, which would wait for its first part as well.
const channels = copiedChannels();
test.use({ serviceWorkers: "block", flags: ["--channels", channels.path] });
test.afterAll(() => channels.remove());

/** `make soak` uses a hundred on a quiet machine; `make test` has no time for more than four. */
const SOAK = process.env.SESSIONS !== undefined;
const SESSIONS = Number(process.env.SESSIONS ?? 4);
const AT_ONCE = 2;
/** Tolerance between a viewing's times and the page's own measurements, in milliseconds. */
const TOLERANCE = SOAK ? { median: 50, p95: 150 } : { median: 100, p95: 400 };
/** A viewing that reported its end gets its row after twenty seconds, and is shipped within five. */
const POLLING = { timeout: 60_000, intervals: [1_000] };
/** A viewing whose tab was killed gets its row after a quarter of an hour. */
const SILENCE = { timeout: 17 * 60_000, intervals: [5_000] };

/** The viewing of a player that isn't the site's. */
const ANOTHER = "0190b0aa-0000-7000-8000-00000000000a";
const isAnother = (row: { viewing?: string; sid?: string }): boolean => (row.viewing ?? row.sid) === ANOTHER;
const lakeOf = ({ data }: Worker): ReturnType<typeof readViewings> => {
  const { viewings, reports } = readViewings(data);
  return { viewings: viewings.filter((row) => !isAnother(row)), reports: reports.filter((row) => !isAnother(row)) };
};

/** The page's own measurements of one session, in milliseconds. */
interface Measurement {
  /** The browser's analytics key, which is in its rows. */
  readonly profile: string;
  readonly killed: boolean;
  readonly startup: number;
  readonly rebuffered: number;
  readonly rebuffers: number;
}

/** Makes the page record when its video was pressed, showed its first frame, stalled and continued. */
async function observe(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const seen = { pressed: 0, first: 0, dry: 0, rebuffered: 0, rebuffers: 0 };
    Object.assign(window, { seen });
    // The page's next document reads this one's final measurements.
    addEventListener("pagehide", () => sessionStorage.setItem("seen", JSON.stringify(seen)));
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

/** The measurements so far of an open page, or those of the one before it. */
const measuredBy = (page: Page): Promise<Pick<Measurement, "startup" | "rebuffered" | "rebuffers">> =>
  page.evaluate(() => {
    type Seen = { pressed: number; first: number; rebuffered: number; rebuffers: number };
    const before = sessionStorage.getItem("seen");
    const seen = before ? (JSON.parse(before) as Seen) : (window as unknown as { seen: Seen }).seen;
    return { startup: seen.first - seen.pressed, rebuffered: seen.rebuffered, rebuffers: seen.rebuffers };
  });

const time = (page: Page) => page.locator("video").evaluate((video: HTMLVideoElement) => video.currentTime);

interface Shape {
  /** Delay of each media answer, in milliseconds. */
  readonly slow: number;
  /** Duration of its stall, in milliseconds. */
  readonly dry: number;
}

/** Throttles the media of each browser separately: browsers are distinguished by their user agents. */
function shapeEach(between: TestProxy) {
  const shut = new Set<string>();
  const slow = new Map<string, number>();
  between.answer = async ({ url = "", headers }) => {
    const agent = headers["user-agent"] ?? "";
    if (/\.m3u8|\/init|seg_/.test(url)) await new Promise((resolve) => setTimeout(resolve, slow.get(agent) ?? 0));
    return shut.has(agent) && /seg_(?!000)/.test(url) ? { status: 503, headers: {}, body: "" } : null;
  };
  return { shut, slow };
}

/** Plays a recording on a slow network that is interrupted for a while after its first part. */
async function watch(page: Page, dry: number, open: () => void): Promise<void> {
  await page.goto("/vod_library/1");
  await page.getByRole("main").getByRole("button", { name: "Watch" }).click({ timeout: 40_000 });
  // The first part is four seconds long.
  await expect
    .poll(() => page.evaluate(() => (window as unknown as { seen: { rebuffers: number } }).seen.rebuffers), {
      timeout: 40_000,
    })
    .toBeGreaterThan(0);
  await page.waitForTimeout(dry);
  open();
  await expect.poll(() => time(page), { timeout: 30_000 }).toBeGreaterThan(4.5);
}

/** Asserts that the reported values are within the tolerance (QOE-1). */
function expectClose(what: string, deviations: readonly number[]): void {
  const sorted = deviations.map(Math.abs).toSorted((a, b) => a - b);
  const share = (of: number) => sorted[Math.ceil(sorted.length * of) - 1] ?? 0;
  const [median, p95] = [share(0.5), share(0.95)].map(Math.round);
  console.log(`${what} of ${deviations.length} sessions is off by ${median} ms at the median, ${p95} ms at p95`);
  expect(median, what).toBeLessThanOrEqual(TOLERANCE.median);
  expect(p95, what).toBeLessThanOrEqual(TOLERANCE.p95);
}

/** Waits until the browser has no unsent analytics, since its storage is deleted with its context. */
const untilSent = (page: Page): Promise<void> => expect.poll(() => waitingAnalytics(page), POLLING).toBe(0);

/**
 * QOE-2: any player's reports in CTA-5004-B's form, each counted once however often it is sent, without rows of its
 * own.
 */
async function sendForeignReports(request: APIRequestContext, { origin }: Worker): Promise<void> {
  const report = (sn: number, more: string) => `sid="${ANOTHER}",sn=${sn},ts=${Date.now()},v=2,msd=300,e=ps,${more}`;
  const data = [report(1, "sta=p"), report(2, "sta=e,bsa=(1),bsda=(200)")].join("\n");
  const sendReports = async () => {
    const headers = { "content-type": "application/cmcd" };
    const answer = await request.post(`${origin}/datalake/cmcd`, { headers, data });
    expect(answer.status(), await answer.text()).toBe(200);
    return (await answer.json()).data.outcome;
  };
  expect([await sendReports(), await sendReports()]).toEqual(["accepted", "duplicate"]);
  expect((await request.post(`${origin}/datalake/viewing`, { data: {} })).status()).toBe(404);
}

test("playback quality is reported as the page observed it, also for a killed tab and another player (QOE-1a, QOE-2)", async ({
  browser,
  between,
  request,
  worker,
}) => {
  test.setTimeout(120_000 + (SESSIONS / AT_ONCE) * 40_000 + (SOAK ? SILENCE.timeout : 0));
  await sendForeignReports(request, worker);
  const { shut, slow } = shapeEach(between);
  const session = async (n: number, shape: Shape): Promise<Measurement> => {
    const userAgent = `Mozilla/5.0 Chrome/140.0.0.0 session/${n}`;
    shut.add(userAgent);
    slow.set(userAgent, shape.slow);
    // A browser of its own, without another session's cache.
    const context = await browser.newContext({ baseURL: between.origin, userAgent });
    const tab = await context.newPage();
    await observe(tab);
    await watch(tab, shape.dry, () => shut.delete(userAgent));
    // Every fourth is killed: its last report is that of the end of the last stall.
    const killed = n % 4 === 3;
    const profile = await analyticsProfile(tab);
    // Through another document: the page is torn down, and its last report is sent with it or waits for the next one.
    if (!killed) await tab.goto("/faq");
    await untilSent(tab);
    const truth = { ...(await measuredBy(tab)), profile, killed };
    if (killed) await kill(context, tab);
    await context.close();
    return truth;
  };
  const truths = new Map<string, Measurement>();
  const waiting = Array.from({ length: SESSIONS }, (_, n) => n);
  const next = async (): Promise<void> => {
    for (let n = waiting.shift(); n !== undefined; n = waiting.shift()) {
      const truth = await session(n, { slow: 20 + 40 * (n % 4), dry: 300 + 400 * (n % 3) });
      truths.set(truth.profile, truth);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));

  const surviving = [...truths.values()].filter(({ killed }) => !killed).length;
  const expected = SOAK ? SESSIONS : surviving;
  const rows = () => lakeOf(worker).viewings.length;
  await expect.poll(rows, POLLING).toBeGreaterThanOrEqual(surviving);
  if (SOAK) await expect.poll(rows, SILENCE).toBeGreaterThanOrEqual(expected);
  const { viewings, reports } = lakeOf(worker);
  const another = readViewings(worker.data).viewings.filter(isAnother);
  expect(another.map(({ ending, startup_time, rebuffer_time }) => [ending, startup_time, rebuffer_time])).toEqual([
    ["ended", 0.3, 0.2],
  ]);
  // Every tab is there, each once.
  expect(viewings).toHaveLength(expected);
  expect(new Set(viewings.map(({ profile }) => profile)).size).toBe(expected);
  expect(new Set(reports.map(({ profile }) => profile)).size).toBe(SESSIONS);
  expect(reports).toHaveLength(SESSIONS);
  const deviations = { startup: [] as number[], rebuffering: [] as number[] };
  for (const { profile, ending, rebuffer_count, content, startup_time, rebuffer_time } of viewings) {
    const truth = truths.get(profile) as Measurement;
    expect(ending).toBe(truth.killed ? "lost" : "left");
    expect(rebuffer_count).toBe(truth.rebuffers);
    expect(content).toBe("vod 1");
    deviations.startup.push(startup_time * 1_000 - truth.startup);
    deviations.rebuffering.push(rebuffer_time * 1_000 - truth.rebuffered);
  }
  for (const [what, values] of Object.entries(deviations)) expectClose(what, values);
  for (const { profile, rebuffers } of reports) expect(rebuffers).toBe(truths.get(profile)?.rebuffers);
});
