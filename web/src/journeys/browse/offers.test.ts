// @vitest-environment jsdom
import { expect } from "vitest";
import { journey, type Page } from "../testing/journey";

const offer = (page: Page, name: string) => page.main.within("article, li", name);

journey(
  "a channel's own pages and offers come from its folder (START-1, SET-2, PKG-1, SUB-1, LIM-4, EVENT-2, EVENT-5)",
  async (page) => {
    await page.goto("/contacts");
    await page.sees("Content submissions are reviewed within 5 business days.");
    await page.goto("/packages");
    await offer(page, "Kestrels winter pass").sees("$89.00");
    await offer(page, "Kestrels winter pass").sees("plus $6.50 service fee");
    await offer(page, "Monthly subscription").sees("every 30 days");
    await offer(page, "Monthly subscription").sees("7 days free");
    await offer(page, "Annual subscription").sees("every 12 months");
    await page.sees("All sales are final, with no refunds.");

    // The home school is named last, and titles don't contain nicknames.
    await page.goto("/?group=northfield");
    await page.within("main h1", /^Northfield Kestrels$/).appears();
    await page.main.sees("Harbor City @ Northfield");
    expect(page.main.has("Lakeview @ Pine Valley")).toBe(false);
    await page.goto("/upcoming");
    const gender = await page.field("Gender");
    expect([...(gender as Element as HTMLSelectElement).options].map(({ text }) => text)).toEqual([
      "All",
      "Women",
      "Men",
    ]);
  },
);

journey(
  "the home team is named last whatever the order, and a pass shows its period (EVENT-2, PKG-1, ROUTE-2a)",
  async (page) => {
    const { events, teams } = page.channel.state.catalogue;
    const [event] = events;
    if (event) event.participants = [101, 102].flatMap((wanted) => teams.filter(({ id }) => id === wanted));
    await page.goto("/watch/1");
    await page.within("main h1", /Harbor City.*@.*Northfield/).appears();
    await page.browser.until(() =>
      expect(page.all(".watch__teams .team-card")[0]?.textContent).toContain("Harbor City"),
    );
    await page.goto("/packages");
    await page.main.within("article", "Kestrels winter pass").sees("Season pass");
    await page.main.within("article", "Weekend pass").appears();
    expect(page.main.within("article", "Weekend pass").has("Season pass")).toBe(false);
    // Passes have their own page, which links back to all offers (ROUTE-2).
    await page.press("Passes only");
    await page.isAt("/passes");
    await page.within("main h1", "Passes").appears();
    await page.main.within("article", "Kestrels winter pass").appears();
    await page.main.sees("Team pass");
    expect(page.main.has("Volleyball season")).toBe(false);
    await page.press("All packages and subscriptions");
    await page.isAt("/packages");
  },
);

journey(
  "a school's properties have the channel's labels, and a division filters the lists (CALL-4, NAV-8a)",
  async (page) => {
    await page.goto("/?group=northfield");
    await page.sees("Conference: Prairie Conference");
    // The filter applies to the schedule, is displayed, and can be removed.
    await page.goto("/upcoming?division=womens-hockey");
    const rows = () => page.all(".events-by-day .fixture-row").map(({ textContent }) => textContent ?? "");
    await page.within(".events-by-day .fixture-row", "Women’s hockey").appears();
    expect(rows().filter((row) => !row.includes("Women’s hockey"))).toEqual([]);
    const division = (await page.field("Division")) as Element as HTMLSelectElement;
    expect(division.selectedOptions[0]?.text).toBe("Hockey · Women’s");
    await page.select("Division", "All");
    await page.isAt("/upcoming");
    await page.within(".events-by-day .fixture-row", /basketball/i).appears();
    // By its id as well.
    await page.goto("/upcoming?division=22");
    await page.within(".events-by-day .fixture-row", /hockey/).appears();
    const [one] = rows();
    expect(one).toBeDefined();
    expect(rows().filter((row) => !/hockey/.test(row))).toEqual([]);
    // The same on the home page.
    await page.goto("/?sport=hockey&division=womens-hockey");
    await page.within("main h1", "Hockey · Women’s").appears();
    await page.within("main article", "Women’s hockey").appears();
    const cards = page.all("main article").map(({ textContent }) => textContent ?? "");
    expect(cards.filter((card) => !card.includes("Women’s hockey"))).toEqual([]);
  },
);

journey(
  "a team's page has its crest, record, games, results, recordings, pass and calendar (TEAM-1, TEAM-2c, SCORE-3)",
  async (page) => {
    await page.goto("/?participant=108");
    await page.within("main h1", /^Westhaven Rams$/).appears();
    await page.within('section[aria-label="Record"]', /Won \d+ · Lost \d+/).appears();
    await page.within('section[aria-label="Next up"]', "Westhaven").appears();
    await page.within("section:has(#results)", /^(?:Won|Lost|Drawn), /).appears();
    await page.main.within("section", /^Recordings/).appears();
    const hrefOf = (within: string, name: string): string | null | undefined =>
      page
        .within("section, article, aside > *", new RegExp(`^${within}`))
        .all("a[href]")
        .find(({ textContent }) => textContent?.trim() === name)
        ?.getAttribute("href");
    await page.sees("Get the pass");
    expect(hrefOf("Team pass", "Get the pass")).toMatch(/select-package\/2\?participant_id=108/);
    expect(hrefOf("Add to your calendar", "Subscribe")).toMatch(/^webcal:\/\/.*\/api\/calendar\/teams\/108\.ics$/);
    // The games alone, and the school with all its teams.
    await page.press("All games");
    await page.isAt(/^\/schedule\?team=108/);
    await page.within(".events-by-day .fixture-row__name", "Westhaven").appears();
    const names = page.all(".events-by-day .fixture-row__name").map(({ textContent }) => textContent ?? "");
    expect(names.filter((name) => !name.includes("Westhaven"))).toEqual([]);
    page.browser.back();
    await page.within("main h1", /^Westhaven Rams$/).appears();
    await page.browser.until(() => expect(hrefOf("School", "Westhaven")).toBeTruthy());
    await page.main.within("section", /^School/).press("Westhaven");
    await page.main
      .within("section", /^Teams/)
      .within("a[href]")
      .appears();
  },
);

journey(
  "packages show their contents, expiry and savings; a team is found by its name (PKG-4, PKG-5)",
  async (page) => {
    await page.goto("/packages");
    for (const row of ["Total price", "Upcoming games", "Valid until", "Savings"])
      await page.within("table th[scope=row]", row).appears();
    await page.within(".package-card__facts", "Upcoming games").appears();
    const choice = page.within(".team-choice", "Team pass");
    await choice.fill("Which team?", "west");
    await choice.choose(/^Westhaven/);
    await choice.within("h3", "Westhaven Rams").appears();
    await choice.press(/^Buy for /);
    await page.isAt(/^\/select-package\/2\?participant_id=108/);
    const team = await page.field(/Westhaven Rams.*\d+ games?/);
    expect(team.checked).toBe(true);
    // The school's teams share a name: their gender is short (EVENT-5).
    await page.within(".radio-card abbr[title=Men]", "M").appears();
    await page.main.sees(/^\d+ upcoming games?$/);
  },
);

journey("a library search shows ten videos, newest first, and the rest on demand (VOD-2c)", async (page) => {
  const newest = page.channel.state.catalogue.videos
    .toSorted((one, other) => other.date.localeCompare(one.date))
    .map(({ title }) => title);
  await page.goto("/vod_library");
  const titles = () => page.main.all(".card-grid h2, .card-grid h3").map(({ textContent }) => textContent);
  // Each title contains this letter.
  await page.fill("Search by title", "e");
  await page.sees("12 videos");
  await page.browser.until(() => expect(titles()).toEqual(newest.slice(0, 10)));
  await page.press("Show more");
  await page.browser.until(() => expect(titles()).toEqual(newest));
});

journey("an older search answer never replaces a newer one (SEARCH-3d)", async (page) => {
  let letGo: () => void = () => undefined;
  const late = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  page.channel.fail("GET /api/search", late, 1);
  await page.goto("/search?q=hockey");
  await page.browser.until(() => expect(page.channel.requests("GET /api/search")).toHaveLength(1));
  const games = page.within("section", /^Games/);
  const field = "Search games, teams, schools, videos, clips and pages";
  await page.fill(field, "volleyball");
  await games.sees("volleyball");
  letGo();
  await page.fill(field, "volleyball women");
  await games.sees("Women’s volleyball");
  await page.settles();
  expect(games.has("hockey")).toBe(false);
  page.browser.setOnline(false);
  await page.fill(field, "wrestling");
  await page.sees("You need a connection to search");
});

journey("a game's calendar file has the id and the end of its team's calendar (TEAM-2)", async (page) => {
  const event = page.channel.state.catalogue.events.find(
    ({ duration_s, event_utc_ts }) => event_utc_ts * 1_000 > Date.now() && duration_s !== 7_200,
  );
  if (!event) throw new Error("no game is ahead");
  await page.goto(`/watch/${event.id}`);
  await page.main.press("Add to calendar");
  const [file] = await page.browser.savedFiles();
  const stamp = (s: number) => new Date(s * 1_000).toISOString().replace(/[-:]|\.000/g, "");
  expect(file).toContain(`\r\nUID:event-${event.id}@northfield\r\n`);
  expect(file).toContain(`\r\nDTSTART:${stamp(event.event_utc_ts)}\r\n`);
  expect(file).toContain(`\r\nDTEND:${stamp(event.event_utc_ts + event.duration_s)}\r\n`);
});
