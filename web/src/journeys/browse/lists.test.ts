// @vitest-environment jsdom
import { fireEvent } from "@testing-library/dom";
import { expect } from "vitest";
import type { SoldEvent } from "../testing/channel/catalogue";
import { CARDS, journey, type Page } from "../testing/journey";

const nowS = (): number => Date.now() / 1_000;
const isUpcoming = ({ event_utc_ts }: SoldEvent): boolean => event_utc_ts > nowS();

/** The ids of the events in the list's rows. */
const listed = (page: Page): Set<number> =>
  new Set(
    page.main
      .all(".fixture-row--columns .fixture-row__name")
      .map((link) => Number(link.getAttribute("href")?.split("/").at(-1))),
  );
const lists = (page: Page, wanted: readonly SoldEvent[], why: string) =>
  page.browser.until(() => expect(listed(page), why).toEqual(new Set(wanted.map(({ id }) => id))));

/** The stored preferences with their remaining whole days. */
async function preferences(): Promise<[name: string, days: number][]> {
  const done = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const database = await done(indexedDB.open("touchline-state"));
  const snapshots = database.transaction("snapshots").objectStore("snapshots");
  const { preferences } = await done(snapshots.get("persist:browser"));
  database.close();
  return Object.entries(preferences.chosen as { [name: string]: { expires_at: number } }).map(
    ([name, { expires_at }]) => [name, Math.round((expires_at - Date.now()) / 86_400_000)],
  );
}

journey(
  "events are live, upcoming or on demand, as cards or as a table that persists, with filters (LIST-1, LIST-2a, LIST-2b, LIST-2c, LIST-3, LIM-2, CALL-5)",
  async (page) => {
    await page.goto("/live");
    await page.main.sees("Harbor City @ Northfield");
    await page.main.within("nav").press(/^Upcoming/);
    await page.main.sees("Westhaven @ Northfield");
    await page.main.lacks("Harbor City @ Northfield");
    // By sport, which the address contains.
    await page.select("Sport", "Hockey");
    await page.isAt(/sport=hockey/);
    await page.main.sees("Westhaven @ Northfield");
    await page.main.lacks("Granite Falls @ Easton");
    await page.reload();
    await page.main.sees("Westhaven @ Northfield");
    expect(page.main.has("Granite Falls @ Easton")).toBe(false);
    await page.press("Clear all");
    await page.main.sees("Granite Falls @ Easton");
    // By gender, state and city, each alone and together: only values that the channel has.
    const { events, locations } = page.channel.state.catalogue;
    const upcoming = events.filter(isUpcoming);
    const isAt = (it: SoldEvent, name: "state" | "city", value: string): boolean =>
      locations.find(({ id }) => id === it.location_id)?.[name] === value;
    const hasProperty = (it: SoldEvent, name: string, value: string): boolean =>
      (it.participants[0]?.properties as { [name: string]: unknown } | undefined)?.[name] === value;
    for (const [choices, fits] of [
      [{ Gender: "Women" }, (it) => hasProperty(it, "gender", "female")],
      [{ Gender: "All", State: "IA" }, (it) => isAt(it, "state", "IA")],
      [{ State: "All", City: "Harbor City" }, (it) => isAt(it, "city", "Harbor City")],
      [
        { City: "All", Gender: "Men", Sport: "Soccer", State: "IA" },
        (it) => hasProperty(it, "gender", "male") && hasProperty(it, "sport", "soccer") && isAt(it, "state", "IA"),
      ],
    ] as [{ [filter: string]: string }, (of: SoldEvent) => boolean][]) {
      for (const [name, label] of Object.entries(choices)) {
        const before = page.browser.address;
        await page.select(name, label);
        await page.browser.until(() => expect(page.browser.address).not.toBe(before));
      }
      const wanted = upcoming.filter(fits);
      expect(wanted.length, JSON.stringify(choices)).toBeGreaterThan(0);
      await lists(page, wanted, JSON.stringify(choices));
    }
    await page.isAt(/gender=male/);
    await page.press("Clear all");
    await lists(page, upcoming, "no filter");
    // The list is the default; the other layout survives a reload.
    await page.main.press("Cards");
    await page.within(".events-by-day .event-card").appears();
    // The state is stored within a second or two, under its prefixed name, with its expiry.
    let stored: unknown = null;
    const read = (found: unknown): void => {
      stored = found;
    };
    await page.browser.until(() => {
      preferences().then(read, read);
      expect(stored).toEqual([["touchline.list_view", 360]]);
    });
    await page.reload();
    await page.within(".events-by-day .event-card").appears();
    expect(page.all(".fixture-row--columns")).toHaveLength(0);
  },
);

journey(
  "the schedule is a list by day with days to jump to, stored in its address (LIST-2a, LIST-6a, LIST-6b, LIST-6c)",
  async (page) => {
    await page.goto("/schedule");
    const days = page.within('nav[aria-label="Days"]');
    await page.within(".fixture-row--columns").appears();
    await page.within("section.events__live", "Live now").appears();
    const chosen = () => days.all("[aria-current=date]")[0]?.textContent ?? "";
    await page.browser.until(() => expect(chosen()).toMatch(/^Today, .*\d+ events?/));
    // Seven days, each with its number of events.
    const names = days.all("ol a .visually-hidden").map(({ textContent }) => textContent);
    expect(names).toHaveLength(7);
    for (const name of names) expect(name).toMatch(/, (?:no|\d+) events?$/i);
    const lists = page.main.all("section.events__live, .events-by-day");
    expect(lists[0]?.className).toContain("events__live");
    await page.main.press(/^Next week/);
    await page.browser.until(() => expect(chosen()).not.toMatch(/^(?:Today|$)/));
    expect(page.main.has("Live now")).toBe(false);
    await days.press("Today");
    await page.isAt("/schedule");
    await page.main.press(/^Earlier: /);
    await page.isAt(/^\/schedule\?date=\d{4}-\d\d-\d\d$/);
    await page.browser.until(() => expect(chosen()).not.toMatch(/^(?:Today|$)/));
    await page.reload();
    await page.browser.until(() => expect(chosen()).not.toMatch(/^(?:Today|$)/));
    await page.fill("Jump to a date", "2026-01-02");
    await page.isAt(/date=2026-01-02/);
    await days.press("Today");
    await page.isAt("/schedule");
    await page.main.press("Cards");
    await page.within(".events-by-day .event-card").appears();
  },
);

journey("a filter that is taken away stays away when a day is picked at once (LIST-3, LIST-6c)", async (page) => {
  await page.goto("/schedule?sport=hockey");
  await page.within(".fixture-row--columns").appears();
  const [sport, date] = [await page.field("Sport"), await page.field("Jump to a date")];
  fireEvent.change(sport, { target: { value: "" } });
  fireEvent.change(date, { target: { value: "2026-01-02" } });
  await page.isAt("/schedule?date=2026-01-02");
});

journey(
  "passes and favourites list live, upcoming and past events, and say so when they are empty (LIST-4a, LIST-4c, LIST-4d)",
  async (page) => {
    await page.goto("/upcoming?tab=user");
    await page.isAt("/login");
    await page.logIn();
    await page.goto("/upcoming?tab=user");
    await page.sees("No events from your favourites yet");
    await page.goto("/upcoming?tab=passes");
    await page.sees("Your purchases don’t include any events yet");
    // A live event, which the earlier list of upcoming events never contained.
    await page.goto("/watch/1");
    await page.main.press(/^Buy for/);
    await page.payWith(CARDS.pays);
    await page.sees("Paid. Enjoy the game.");
    await page.goto("/upcoming?tab=passes");
    await page.main.within(".fixture-row--columns", /Harbor City/).appears();
    expect(listed(page)).toEqual(new Set([1]));
    // A pass covers neither events sold only individually nor free ones: its tabs leave both out.
    await page.goto("/live?package=1");
    await page.main.sees("Harbor City @ Northfield");
    await page.settles();
    expect(listed(page)).toEqual(new Set([1]));
    await page.goto("/?sport=hockey");
    await page.press("Add to favourites: Hockey");
    await page.browser.until(() => expect(page.channel.requests("POST /api/favorite")).toHaveLength(1));
    await page.goto("/upcoming?tab=user");
    const hockey = page.channel.state.catalogue.events.filter(({ event_category_id: of }) => [20, 21, 22].includes(of));
    const live = hockey.find(({ id }) => id === 2);
    const [first, last] = [hockey.filter(isUpcoming)[0], hockey.at(-1)];
    const has = (event: SoldEvent | undefined) => () =>
      expect(page.main.all(`a[href="/watch/${event?.id}"]`).length).toBeGreaterThan(0);
    await page.browser.until(has(live));
    await page.browser.until(has(first));
    if (page.main.can("Show more")) await page.main.press("Show more");
    await page.browser.until(has(last));
  },
);

journey("a visitor reads what is needed to watch (EVENT-4b)", async (page) => {
  for (const [path, action] of [
    ["/watch/1", "LOGIN TO WATCH"],
    ["/watch/3", "REGISTER TO WATCH FREE"],
  ] as const) {
    await page.goto(path);
    await page.main.sees(action);
    expect(page.main.can(action), action).toBe(true);
  }
});

journey(
  "a score is in rows, on cards and on its teams' pages; without one there is none (SCORE-1d, SCORE-2a)",
  async (page) => {
    for (const [path, selector] of [
      ["/schedule", '.fixture-row:has(a[href="/watch/1"])'],
      ["/", '.event-card:has(a[href="/watch/1"])'],
      ["/?participant=101", '.event-card:has(a[href="/watch/1"]), .next-up'],
      ["/watch/1", ".watch__score"],
    ] as const) {
      await page.goto(path);
      await page.main.within(selector, /38–41/).appears();
    }
    await page.goto("/upcoming");
    await page.main.within('.fixture-row:has(a[href="/watch/4"])').appears();
    expect(page.main.all(".score")).toHaveLength(0);
    await page.goto("/watch/4");
    await page.within("main h1", "Westhaven").appears();
    await page.settles();
    expect(page.main.all(".watch__score")).toHaveLength(0);
  },
);

journey("scores are hidden on request, and can be revealed one at a time (SCORE-2a, SCORE-2b)", async (page) => {
  await page.goto("/watch/1");
  await page.main.within(".score", /3rd quarter/).appears();
  await page.goto("/schedule");
  const live = page.within("section.events__live");
  await live.sees("3rd quarter");
  await live.sees("38–41");
  await page.press("Hide scores");
  await live.lacks("38–41");
  await page.pass(2_500);
  await page.reload();
  await live.press("Show score: Harbor City @ Northfield");
  await live.sees("38–41");
  expect(live.can(/^Show score: Westhaven/)).toBe(true);
});
