// @vitest-environment jsdom
import { expect } from "vitest";
import type { SoldEvent } from "../testing/channel/catalogue";
import { statusAt } from "../testing/channel/presenter";
import { journey, type Page } from "../testing/journey";

// A list is part of its history entry: Back shows as many entries as before, with the same filters (LIST-7). Positions
// need a layout: `e2e/browse/back-to-lists.spec.ts`.

const DAY_S = 86_400;

/** Makes one event of the channel into `count` of the same status. */
function multiply(page: Page, status: "finished" | "upcoming" | "live", count: number): void {
  const { catalogue } = page.channel.state;
  const now = Date.now() / 1_000;
  const hasStatus = (event: SoldEvent): boolean => statusAt(event, now) === status;
  const sample = catalogue.events.find(hasStatus);
  if (sample === undefined) throw new Error(`no event is ${status}`);
  const others = catalogue.events.filter((event) => !hasStatus(event));
  const day = status === "live" ? 0 : status === "finished" ? -DAY_S : DAY_S;
  const copies = Array.from({ length: count }, (_, at) => ({
    ...sample,
    id: 10_000 + at,
    event_utc_ts: sample.event_utc_ts + day * Math.floor(at / 8),
  }));
  catalogue.events.splice(0, catalogue.events.length, ...others, ...copies);
}

const hrefs = (page: Page): (string | null)[] =>
  page.main.all(".fixture-row--columns .fixture-row__name").map((link) => link.getAttribute("href"));
const counts = (page: Page, count: number) => page.browser.until(() => expect(hrefs(page)).toHaveLength(count));

const MORE = /^Show (?:more|earlier days|later days)$/;

for (const [path, status] of [
  ["/vod", "finished"],
  ["/upcoming", "upcoming"],
  ["/live", "live"],
] as const)
  for (const [count, presses, reloads] of [
    [48, 0, true],
    [49, 1, false],
    [300, 2, true],
  ] as const)
    journey(
      `Back to ${path} with ${count} events, ${presses} more pages and ${reloads ? "a" : "no"} reload shows as many (LIST-7)`,
      async (page) => {
        multiply(page, status, count);
        await page.goto(path);
        await counts(page, Math.min(count, 48));
        expect(page.main.can(MORE)).toBe(count > 48);
        for (let press = 1; press <= presses; press += 1) {
          await page.main.press(MORE);
          await counts(page, Math.min(count, 48 * (press + 1)));
        }
        const before = hrefs(page);
        const last = before.at(-1) as string;
        (page.main.all(`a[href="${last}"]`)[0] as HTMLElement).click();
        await page.isAt(last);
        if (reloads) await page.reload();
        await page.browser.until(() => expect(page.main.all(".stage").length).toBe(1));
        await page.settles();
        page.browser.back();
        await page.isAt(path);
        await counts(page, before.length);
        expect(hrefs(page)).toEqual(before);
      },
    );

journey("Back to a search shows its type again, and leaves the focus and the position alone (LIST-7)", async (page) => {
  await page.goto("/search");
  await page.browser.until(() => expect(document.activeElement?.className).toBe("search__field"));
  await page.goto("/search?q=northfield");
  await page.press(/^Games/);
  const chip = () => page.all('.search__chip[aria-pressed="true"]').map(({ textContent }) => textContent);
  await page.browser.until(() => expect(chip()[0]).toMatch(/^Games/));
  for (const reloads of [false, true]) {
    const row = page.all(".search__section a").at(-1) as HTMLElement;
    row.click();
    await page.isAt(/^\/watch\//);
    if (reloads) await page.reload();
    await page.settles();
    page.browser.back();
    await page.isAt("/search?q=northfield");
    await page.browser.until(() => expect(chip()[0]).toMatch(/^Games/));
    expect(document.activeElement?.className).not.toBe("search__field");
  }
});
