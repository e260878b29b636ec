// @vitest-environment jsdom
import { expect } from "vitest";
import type { SoldEvent } from "../testing/channel/catalogue";
import { journey, type Page } from "../testing/journey";

/** Free events: one starts after 25 seconds, the other ends after 20. */
const [STARTS, ENDS] = [5, 25];

const eventOf = (page: Page, id: number): SoldEvent => {
  const event = page.channel.state.catalogue.events.find((one) => one.id === id);
  if (!event) throw new Error(`there is no event ${id}`);
  return event;
};

function setTimes(page: Page): void {
  const now = Math.floor(Date.now() / 1_000);
  Object.assign(eventOf(page, STARTS), { event_utc_ts: now + 25 });
  Object.assign(eventOf(page, ENDS), { event_utc_ts: now - 40, duration_s: 60 });
}

/** Advances the time past both changes, which the channel announces. */
async function passBoth(page: Page): Promise<void> {
  await page.pass(20_000);
  page.channel.sockets.announce(eventOf(page, ENDS));
  await page.pass(5_000);
  page.channel.sockets.announce(eventOf(page, STARTS));
}

const offers = (page: Page, button: string) =>
  page.browser.untilDisplayed(() => expect(page.main.can(button)).toBe(true));

journey("an event's page goes from upcoming to live without a reload (EVENT-7)", async (page) => {
  setTimes(page);
  await page.goto(`/watch/${STARTS}`);
  await page.main.sees(/Lakeview\s*@\s*Pine Valley/);
  expect(page.main.can(/^Watch(?: live)?$/)).toBe(false);
  await passBoth(page);
  await offers(page, "Watch live");
});

journey("an event's page goes from live to finished without a reload (EVENT-7)", async (page) => {
  setTimes(page);
  await page.goto(`/watch/${ENDS}`);
  await offers(page, "Watch live");
  await passBoth(page);
  await offers(page, "Watch");
});

for (const [path, before, after] of [
  ["/live", ENDS, STARTS],
  ["/upcoming", STARTS, null],
  ["/vod", null, ENDS],
] as const)
  journey(`the list ${path} changes with the status of its events, without a reload (EVENT-7)`, async (page) => {
    setTimes(page);
    await page.goto(path);
    const lists = (id: number) => page.main.all(`a[href="/watch/${id}"]`).length > 0;
    await page.browser.untilDisplayed(() => expect(page.main.all('a[href^="/watch/"]').length).toBeGreaterThan(1));
    if (before !== null) expect(lists(before)).toBe(true);
    if (after !== null) expect(lists(after)).toBe(false);
    await passBoth(page);
    await page.browser.untilDisplayed(() => {
      if (before !== null) expect(lists(before)).toBe(false);
      if (after !== null) expect(lists(after)).toBe(true);
    });
  });
