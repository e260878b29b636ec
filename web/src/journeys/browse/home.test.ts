// @vitest-environment jsdom
import { expect } from "vitest";
import { statusAt } from "../testing/channel/presenter";
import { journey, type Page } from "../testing/journey";

/** The addresses that a section of the home page links to, in their order. */
const linked = (page: Page, heading: string): string[] =>
  page.main
    .all("section")
    .filter((section) => section.querySelector("h2")?.textContent === heading)
    .flatMap((section) => [...section.querySelectorAll("article a, li a")])
    .flatMap((link) => /^\/(?:watch|vod_library)\/\d+$/.exec(link.getAttribute("href") ?? "")?.[0] ?? []);

journey("home shows recordings of a followed team without games ahead (HOME-1)", async (page) => {
  const vera = await page.signIn();
  const { catalogue } = page.channel.state;
  const team = 102;
  const plays = ({ participants }: { participants: { id: number }[] }) => participants.some(({ id }) => id === team);
  const finished = (event: (typeof catalogue.events)[number]) => statusAt(event, Date.now() / 1_000) === "finished";
  const recordings = catalogue.events.filter((event) => plays(event) && finished(event)).map(({ id }) => id);
  expect(recordings.length).toBeGreaterThan(0);
  catalogue.events = catalogue.events.filter((event) => !plays(event) || finished(event));
  vera.favourites.push({ id: 1, favoritable_id: team, favoritable_type: "participant" });
  await page.goto("/");
  await page.browser.until(() =>
    expect(new Set(linked(page, "Your favourites"))).toEqual(new Set(recordings.map((id) => `/watch/${id}`))),
  );
});

journey("home shows started videos above favourites, the latest first (HOME-1)", async (page) => {
  const vera = await page.signIn();
  const started = [
    { kind: "event", id: 25 },
    { kind: "vod", id: 1 },
    { kind: "event", id: 31 },
  ] as const;
  vera.positions = started.map(({ kind, id }, hour) => ({
    kind,
    id,
    position_ms: 10_000,
    duration_ms: 60_000,
    at: Date.now() - (started.length - hour) * 3_600_000,
  }));
  vera.favourites.push({ id: 1, favoritable_id: 102, favoritable_type: "participant" });
  await page.goto("/");
  await page.browser.until(() =>
    expect(linked(page, "Continue watching")).toEqual(["/watch/31", "/vod_library/1", "/watch/25"]),
  );
  const headings = page.main.all("section h2").map(({ textContent }) => textContent);
  expect(headings.indexOf("Continue watching")).toBeLessThan(headings.indexOf("Your favourites"));
});
