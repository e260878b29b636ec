import { test as base, expect } from "@playwright/test";
import { VERA } from "../support/viewer";
import { startWorker, type Worker } from "../support/worker";
import type { Engine, Kind, Tab } from "./engine";
import { startFirefox } from "./firefox";
import { type Line, openLine } from "./line";
import { startWebKit } from "./webkit";

const test = base.extend<{ worker: Worker; line: Line }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from the pattern.
  worker: async ({}, use, info) => {
    const worker = await startWorker();
    await use(worker);
    if (info.status !== info.expectedStatus) await info.attach("worker", { body: worker.log() });
    await worker.end();
  },
  line: async ({ worker }, use) => {
    const line = await openLine(worker.origin);
    await use(line);
    await line.cut();
  },
});

const press = (tab: Tab, kind: Kind, name: RegExp) =>
  expect.poll(() => tab.press(kind, name), { message: `press ${kind} ${name}`, timeout: 20_000 }).toBe(true);
const type = (tab: Tab, label: RegExp, text: string) =>
  expect.poll(() => tab.type(label, text), { message: `type into ${label}`, timeout: 20_000 }).toBe(true);
const path = (tab: Tab) => tab.evaluate(() => location.pathname);
const text = (tab: Tab) => tab.evaluate(() => document.body.innerText);
const time = (tab: Tab) => tab.evaluate(() => document.querySelector("video")?.currentTime ?? 0);
const sees = (tab: Tab, words: RegExp) =>
  expect.poll(() => text(tab), { message: String(words), timeout: 20_000 }).toMatch(words);

/** The video advances, after any preroll. */
async function plays(tab: Tab): Promise<void> {
  const hasBar = () => tab.evaluate(() => document.querySelector('[aria-label="Position"]') !== null);
  await expect.poll(hasBar, { message: "the seek bar", timeout: 30_000 }).toBe(true);
  const before = await time(tab);
  await expect.poll(() => time(tab), { message: "the time advances", timeout: 20_000 }).toBeGreaterThan(before + 1);
}

/**
 * Leaves the page for an address, once it is settled: WebKit holds on to what a page in its back-forward cache was
 * reading, and the next page then waits for the database.
 */
async function leaveFor(tab: Tab, url: string): Promise<void> {
  const isSettled = () => tab.evaluate(() => document.documentElement.hasAttribute("data-settled"));
  await expect.poll(isSettled, { message: "the page is settled", timeout: 20_000 }).toBe(true);
  await tab.goto(url);
}

/** A viewer registers, buys, watches, goes offline, opens a second tab and logs out (PWA-3). */
async function walk(open: Engine["open"], line: Line): Promise<void> {
  const tab = await open();
  await tab.goto(`${line.origin}/registration`);
  await type(tab, /^First name/, VERA.firstName);
  await type(tab, /^Last name/, VERA.lastName);
  await type(tab, /^Email/, VERA.email);
  await type(tab, /^Password/, VERA.password);
  await type(tab, /^Confirm password/, VERA.password);
  await press(tab, "checkbox", /./);
  await press(tab, "button", /^Register$/);
  await expect.poll(() => path(tab), { message: "registered", timeout: 20_000 }).not.toBe("/registration");

  await leaveFor(tab, `${line.origin}/watch/1`);
  await press(tab, "link", /^Buy for/);
  await type(tab, /^Card number/, VERA.card);
  await type(tab, /^Expires/, "1230");
  await type(tab, /^Security code/, "123");
  await press(tab, "button", /^Pay /);
  await sees(tab, /Paid\. Enjoy the game\./);
  await press(tab, "link", /^Watch/);
  await plays(tab);

  // A recording, from its middle.
  await leaveFor(tab, `${line.origin}/vod_library/1`);
  await press(tab, "button", /^Watch/);
  await plays(tab);
  const before = await time(tab);
  await press(tab, "button", /^Forward/);
  await expect.poll(() => time(tab), { message: "seeks", timeout: 20_000 }).toBeGreaterThan(before + 5);

  // Without a network the site opens from its own files.
  const isServed = () => tab.evaluate(() => navigator.serviceWorker.controller !== null);
  await expect.poll(isServed, { message: "the service worker serves the page", timeout: 60_000 }).toBe(true);
  await line.cut();
  await leaveFor(tab, `${line.origin}/profile`);
  await sees(tab, new RegExp(VERA.firstName));
  await line.restore();

  const second = await open();
  await second.goto(`${line.origin}/profile`);
  await sees(second, new RegExp(VERA.firstName));
  await press(second, "button", /^Log out/);
  await expect.poll(() => text(tab), { message: "the other tab", timeout: 20_000 }).not.toContain(VERA.firstName);
}

for (const start of [startFirefox, startWebKit])
  test(`${start.name.slice(5)}: register, buy, live, recording, seek, offline, second tab, log out (PWA-3)`, async ({
    line,
  }, info) => {
    const engine = await start();
    const tabs: Tab[] = [];
    const open = async (): Promise<Tab> => {
      const tab = await engine.open();
      tabs.push(tab);
      return tab;
    };
    try {
      await walk(open, line);
    } catch (error) {
      // What the viewer saw then.
      for (const tab of tabs) await info.attach("page", { body: `${await path(tab)}\n${await text(tab)}` });
      throw error;
    } finally {
      await engine.close();
    }
  });
