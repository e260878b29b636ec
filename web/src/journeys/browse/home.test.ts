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

journey(
  "home of a viewer without videos, favourites and purchases has the channel's content alone (HOME-1d)",
  async (page) => {
    const absent = (): void => {
      const headings = page.main.all("section h2").map(({ textContent }) => textContent);
      for (const heading of ["Continue watching", "Your favourites", "My passes"])
        expect(headings).not.toContain(heading);
    };
    await page.signIn();
    await page.goto("/");
    await page.main.sees("Schools");
    await page.settles();
    absent();
    await page.pass(1_500);
    page.browser.setOnline(false);
    await page.goto("/");
    await page.main.sees("Schools");
    await page.settles();
    absent();
  },
);

journey("home shows started videos above favourites, the latest first (HOME-1a, HOME-1b)", async (page) => {
  const vera = await page.signIn();
  const started = [
    { kind: "event", id: 25 },
    { kind: "vod", id: 1 },
    { kind: "event", id: 31 },
    // For sale: she may watch it no longer.
    { kind: "event", id: 24 },
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
  const { catalogue } = page.channel.state;
  const statusOf = (path: string) => {
    const event = catalogue.events.find(({ id }) => path === `/watch/${id}`);
    const plays = event?.participants.some(({ id }) => id === 102);
    return event && plays ? statusAt(event, Date.now() / 1_000) : path;
  };
  await page.browser.until(() => expect(linked(page, "Your favourites").length).toBeGreaterThan(0));
  const statuses = linked(page, "Your favourites").map(statusOf);
  expect(new Set(["live", "upcoming", ...statuses])).toEqual(new Set(["live", "upcoming"]));
  // Both follow the slides.
  const [slides] = page.main.all(".hero");
  const [section] = page.main
    .all("section")
    .filter((one) => one.querySelector("h2")?.textContent === "Continue watching");
  expect(slides?.compareDocumentPosition(section as Element)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
});
