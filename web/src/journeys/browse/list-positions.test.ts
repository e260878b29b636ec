// @vitest-environment jsdom
import { expect } from "vitest";
import { layOutColumn } from "../testing/column";
import { journey, type Page } from "../testing/journey";

// Back leads to the pressed link of each list, at once and after a reload of the page that was opened (LIST-7). The
// layout is a column; real positions are in `e2e/browse/back-to-lists.spec.ts`.

type Fill = (page: Page, count: number) => Promise<unknown> | unknown;

const copiesOf = <T extends { id: number }>(list: T[], count: number, change: (copy: T, at: number) => Partial<T>) => {
  const [sample] = list;
  if (sample === undefined) throw new Error("nothing to copy");
  const copies = Array.from({ length: count }, (_, at) => ({ ...sample, ...change(sample, at), id: 20_000 + at }));
  list.splice(0, list.length, ...copies);
};

const videos: Fill = ({ channel }, count) =>
  copiesOf(channel.state.catalogue.videos, count, (_, at) => ({ title: `Copied ${at}`, category_id: 1 }));

async function clips(page: Page, count: number, source: object): Promise<void> {
  const vera = await page.signIn({ email_verified: true });
  vera.clips = Array.from({ length: count }, (_, at) => ({
    id: 20_000 + at,
    uuid: `uuid-${at}`,
    ...source,
    name: `Copied ${at}`,
    start_time: 1,
    duration: 5,
    tags: ["goal"],
    event_media_id: 1,
    status: "ready" as const,
    created_at: new Date().toISOString(),
    version: 2,
  }));
}

/** Lists, their entries' links, and the numbers of entries. */
const LISTS: readonly (readonly [path: string, links: string, fill: Fill, counts: readonly number[]])[] = [
  ["/vod_library?title=copied", "ul.card-grid a", videos, [49, 300]],
  ["/search?q=copied", ".search__section a", videos, [48]],
  ["/profile/clips", "ul.card-grid a", (page, count) => clips(page, count, { event_id: 25 }), [300]],
  ["/watch/25", "ul.card-grid a", (page, count) => clips(page, count, { event_id: 25 }), [49]],
  [
    "/",
    "section[aria-labelledby=schools] a",
    ({ channel: { state } }, count) =>
      copiesOf(state.catalogue.schools, count, (_, at) => ({ name: `Copied ${at}`, nickname: `C${at}` })),
    [49],
  ],
  [
    "/packages",
    "a[href^='/select-package/'], a[href*='package_id=']",
    ({ channel: { state } }, count) =>
      copiesOf(state.catalogue.packages, count, (_, at) => ({ name: `Copied ${at}`, is_team_pass: false })),
    [49],
  ],
];

const MORE = /^(?:Show more|Show all|Show all .*|All schools)$/;

for (const [path, links, fill, counts] of LISTS)
  for (const count of counts)
    journey(`Back leads to the pressed link of ${path} with ${count} entries (LIST-7)`, async (page) => {
      await fill(page, count);
      await page.goto(path);
      await page.browser.until(() => expect(page.main.all(links).length).toBeGreaterThan(2));
      await page.settles();
      const column = layOutColumn();
      try {
        for (let presses = 0; presses < 3 && page.main.can(MORE); presses += 1) {
          const before = page.main.all(links).length;
          await page.main.press(MORE);
          await page.browser.until(() => expect(page.main.all(links).length).toBeGreaterThan(before));
          await page.settles();
        }
        for (const reloads of [false, true]) {
          const pressed = page.main.all(links).at(-1) as HTMLAnchorElement;
          const { length } = page.main.all(links);
          const href = pressed.getAttribute("href") as string;
          column.reveal(pressed);
          await page.pass(300);
          pressed.click();
          await page.browser.until(() => expect(page.browser.address).not.toBe(path));
          await page.settles();
          if (reloads) await page.reload();
          await page.settles();
          page.browser.back();
          await page.isAt(path);
          await page.browser.until(() => expect(page.main.all(links)).toHaveLength(length));
          await page.pass(1_500);
          const again = page.main.all(links).at(-1) as Element;
          expect(again.getAttribute("href")).toBe(href);
          expect(column.isInWindow(again), reloads ? "after a reload" : "at once").toBe(true);
        }
      } finally {
        column.restore();
      }
    });
