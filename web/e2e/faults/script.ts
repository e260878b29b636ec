import type { Browser, BrowserContext, Page } from "@playwright/test";
import type { Network } from "./network";

/** A number in [0, 1), in the same sequence for the same seed. */
export type Draw = () => number;

export function seeded(seed: number): Draw {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Opens a site and sends it an event. */
export interface Site {
  open(page: Page, mark: string): Promise<void>;
  track(page: Page, mark: string): Promise<void>;
  /** Whether opening the site is an event of its own. */
  readonly opensWithEvent: boolean;
}

const TABS = 4;
const STEPS = 160;
const STEP_MS = 100;
/** An event counts as sent once its tab has lived this long afterwards. */
const SENT_MS = 1000;

const pause = (ms: number) => new Promise((over) => setTimeout(over, ms));

/** Ends a tab the way a phone does: without any event in the page. */
async function kill(context: BrowserContext, page: Page): Promise<void> {
  const devtools = await context.newCDPSession(page);
  // It never answers.
  devtools.send("Page.crash").catch(() => undefined);
  await pause(200);
  await page.close();
}

/**
 * Four tabs; offline twice; three of ten requests lost; tabs killed, once without a network. Returns the sent events.
 */
export async function runScript(browser: Browser, network: Network, site: Site, seed: number): Promise<string[]> {
  const draw = seeded(seed);
  const context = await browser.newContext();
  const sent: string[] = [];
  const mark = () => `m${sent.length}e`;
  const tabs: Page[] = [];
  const open = async (at: number): Promise<void> => {
    const page = await context.newPage();
    const opened = mark();
    if (site.opensWithEvent) sent.push(opened);
    await site.open(page, opened);
    tabs[at] = page;
  };
  const offline = async (is: boolean): Promise<void> => {
    network.down = is;
    await context.setOffline(is);
  };
  for (let at = 0; at < TABS; at += 1) await open(at);
  await pause(2000);

  let dead: number | null = null;
  for (let step = 0; step < STEPS; step += 1) {
    if (step === 10) network.loss = 0.3;
    if (step === 30 || step === 90) await offline(true);
    if (step === 50 || step === 110) await offline(false);
    if (step === 51 && dead !== null) {
      await open(dead);
      dead = null;
    }
    const at = Math.floor(draw() * TABS);
    if (step === 25 || step === 40 || step === 70 || step === 130) {
      await pause(SENT_MS);
      await kill(context, tabs[at] as Page);
      if (network.down) dead = at;
      else await open(at);
    }
    if (at !== dead) {
      const next = mark();
      await site.track(tabs[at] as Page, next);
      sent.push(next);
    }
    await pause(STEP_MS);
  }
  network.loss = 0;
  // Unsent events are sent once the site is open and the network is up.
  await pause(30_000);
  await open(0);
  await pause(30_000);
  await context.close();
  return sent;
}
