// @vitest-environment jsdom
import { cleanup, fireEvent, screen, within } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import type { Event, EventFilter, Participant, SearchResults } from "../contracts/resources";
import { aBootstrap, anEvent, aPackage } from "../sagas/testing/resources";
import { list, well } from "./testing/calls";
import { showPage } from "./testing/page";

const none = () => list([]) as never;
const found = (...events: Event[]): SearchResults => ({
  events: list(events),
  participants: none(),
  participant_groups: none(),
  vod_media_items: none(),
  pages: none(),
  clips: none(),
});
const team = (id: number, name: string): Participant => ({
  id,
  name,
  short_name: name,
  alias: name.toLowerCase(),
  images: [],
  color: "#224466",
  properties: { sport: "hockey", gender: "male" },
});
const [rams, owls] = [team(21, "Rams"), team(22, "Owls")];
const game = (parts: Partial<Event>) => anEvent({ participants: [owls, rams], home_team_id: 21, ...parts });

/** jsdom has no layout. */
class NoResizeObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
globalThis.ResizeObserver ??= NoResizeObserver;
afterEach(cleanup);

describe("a search (SEARCH-3)", () => {
  it("shows neither an older answer in place of a newer one nor the answer to a cleared query", async () => {
    const answers = new Map<string, (results: SearchResults) => void>();
    const page = await showPage("/search?q=owls", {
      ...well,
      "api.search": ({ q }) => new Promise((resolve) => answers.set(q, resolve as never)) as never,
    });
    const field = (await screen.findByRole("searchbox")) as HTMLInputElement;
    fireEvent.change(field, { target: { value: "rams" } });
    await expect.poll(() => [...answers.keys()], { timeout: 60_000 }).toEqual(["owls", "rams"]);
    answers.get("rams")?.(found(game({ id: 2, name: "The newer", participants: [] })));
    await page.pass();
    expect(await screen.findByText("The newer")).toBeTruthy();
    answers.get("owls")?.(found(game({ id: 1, name: "The older", participants: [] })));
    await page.pass();
    expect(screen.queryByText("The older")).toBeNull();
  });

  it("without results suggests the available sports", async () => {
    const page = await showPage("/search?q=xq", { ...well, "api.search": () => found() });
    await page.pass();
    expect(await screen.findByText("No results for “xq”")).toBeTruthy();
    expect(screen.getByRole("link", { name: "Hockey" }).getAttribute("href")).toBe("/?sport=hockey");
  });
});

describe("a team's page (TEAM-1, SCORE-2, SCORE-3)", () => {
  const over = game({ id: 5, stream_status: "finished", score: { away: 1, home: 4, period: "Final" } });
  const script = {
    ...well,
    "api.getBootstrap": () => aBootstrap({ packages: [aPackage()] }),
    "api.getParticipants": () => [rams, owls],
    "api.listEvents": ({ filter }: { filter: EventFilter }) =>
      list(filter.stream_status === "finished" && filter.participant === 21 ? [over] : []),
  };

  it("shows results until its viewer hides the scores, and reveals one on request", async () => {
    const page = await showPage("/?participant=rams", script as never);
    await page.pass();
    const results = await screen.findByRole("region", { name: "Results" });
    expect(within(results).getByText("Won, Home")).toBeTruthy();
    expect(screen.getByRole("region", { name: "Record" }).textContent).toContain("Won 1");
    fireEvent.click(screen.getByRole("switch", { name: "Hide scores" }));
    await page.pass();
    expect(within(results).queryByText("Won, Home")).toBeNull();
    expect(within(results).queryByText("1–4")).toBeNull();
    expect(screen.queryByRole("region", { name: "Record" })).toBeNull();
    fireEvent.click(within(results).getByRole("button", { name: "Show score: Owls @ Rams" }));
    expect(within(results).getByText("1–4")).toBeTruthy();
  });
});

describe("the schedule (LIST-2, LIST-6)", () => {
  it("computes its days from the start times, is a list by default, and starts at the day in its address", async () => {
    const filters: EventFilter[] = [];
    const page = await showPage("/schedule?date=2026-03-02", {
      ...well,
      "api.listEventStarts": () => [2, 2, 4].map((date) => new Date(2026, 2, date, 12).getTime() / 1_000),
      "api.listEvents": ({ filter }) => {
        filters.push(filter);
        const at = new Date(2026, 2, 2, 12).getTime() / 1_000;
        return list(filter.start_date ? [game({ id: 7, stream_status: "upcoming", event_utc_ts: at })] : []);
      },
    });
    await page.pass();
    const days = await screen.findByRole("navigation", { name: "Days" });
    const current = await within(days).findByRole("link", { name: "Monday, March 2, 2 events" });
    expect(current.getAttribute("aria-current")).toBe("date");
    expect(within(days).getByRole("link", { name: "Wednesday, March 4, 1 event" }).getAttribute("href")).toBe(
      "/schedule?date=2026-03-04",
    );
    expect(filters.some(({ start_date }) => start_date === String(new Date(2026, 2, 2).getTime() / 1_000))).toBe(true);
    await expect.poll(() => document.querySelector(".fixture-row--columns")).not.toBeNull();
  });
});

describe("the offers (PKG-4, PKG-5)", () => {
  it("say that the games of a pass aren't announced yet, on its card and on its page", async () => {
    const pass = aPackage({ id: 40, name: "Spring pass" });
    const page = await showPage("/packages", {
      ...well,
      "api.listPackages": () => [pass],
      "api.getPackage": () => pass,
      "api.listPackageContents": () => [{ package_id: 40, events: 0, singly: 0 }],
    });
    const note = "No games announced yet";
    const [said] = await screen.findAllByText(note);
    expect(said?.closest("article")?.textContent).not.toContain("Upcoming games");
    await page.go("/select-package/40");
    await screen.findByRole("heading", { level: 1, name: "Spring pass" });
    expect(screen.getByText(note)).toBeTruthy();
  });

  it("show how many games they open and the savings", async () => {
    const page = await showPage("/packages", {
      ...well,
      "api.listPackages": () => [aPackage({ id: 40, price: 5_000, period_days: 30 })],
      "api.listPackageContents": () => [{ package_id: 40, events: 12, singly: 9_000 }],
    });
    await page.pass();
    await screen.findByText("Compare options");
    const card = [...document.querySelectorAll("article")].find(({ textContent }) =>
      textContent.includes("Upcoming games"),
    );
    expect(card?.textContent).toContain("Upcoming games12");
    expect(card?.textContent).toContain("Savings$40.00");
    expect(screen.getByRole("row", { name: /^Savings \$40\.00/ })).toBeTruthy();
  });
});
