import { describe, expect, it } from "vitest";
import type { EventLocation } from "../../contracts/resources";
import { startOf } from "./dates";
import { ARCHIVE_START, FILTERS, filterOf, optionsOf, statusesOf, tabLink, tabOf, wholeFilter } from "./eventFilters";

const query = (text: string) => new URLSearchParams(text);

describe("the list of all events", () => {
  it.each([
    ["/upcoming", "", "upcoming"],
    ["/schedule", "", "all"],
    ["/live", "", "live"],
    ["/vod", "", "finished"],
    ["/upcoming", "tab=user", "user"],
    ["/upcoming", "tab=passes", "passes"],
    ["/live", "tab=nothing", "live"],
  ])("opens %s?%s at the tab %s (LIST-1, LIST-4)", (path, params, tab) => {
    expect(tabOf(path, query(params))).toBe(tab);
  });

  it("goes from tab to tab with its filters, and with nothing else of the address (LIST-3)", () => {
    const params = query("gender=female&sport=ice hockey&city=Duluth&state=MN&division=21&tab=user&trk=x");
    const filters = "gender=female&sport=ice+hockey&city=Duluth&state=MN&division=21";
    expect(tabLink("live", params)).toBe(`/live?${filters}`);
    expect(tabLink("passes", params)).toBe(`/upcoming?${filters}&tab=passes`);
    expect(tabLink("finished", query(""))).toBe("/vod");
  });

  it("asks for what its filters say: gender, sport, city and state (LIST-3)", () => {
    expect(FILTERS).toEqual(["gender", "sport", "city", "state"]);
    const params = query("gender=male&sport=basketball&city=Duluth&state=MN&location=3&event_category_id=11");
    expect(filterOf("live", "live", params, 24, 48)).toEqual({
      limit: 24,
      offset: 48,
      stream_status: "live",
      gender: "male",
      sport: "basketball",
      city: "Duluth",
      state: "MN",
      location: 3,
      event_category_id: 11,
    });
    const division = filterOf("live", "live", query("category_id=20&division=womens-hockey"), 24, 0);
    expect([division.category, division.event_category_id]).toEqual(["womens-hockey", undefined]);
    expect(filterOf("user", "upcoming", query("location=-1&event_category_id=x"), 24, 0)).toEqual({
      limit: 24,
      offset: 0,
      stream_status: "upcoming",
    });
  });

  it("holds what is live, what comes and what was in the tabs of the viewer, passes by a filter of the worker (LIST-4)", () => {
    expect(statusesOf("passes")).toEqual(["live", "upcoming", "finished"]);
    expect(statusesOf("live")).toEqual(["live"]);
    expect(filterOf("passes", "live", query(""), 24, 0).owned).toBe(1);
    expect(filterOf("user", "live", query(""), 24, 0).owned).toBeUndefined();
  });

  it("begins what is over at the archive's start, newest first (LIST-5)", () => {
    expect(ARCHIVE_START).toBe("2022-08-01");
    const { start_date, sort_direction } = filterOf("finished", "finished", query(""), 24, 0);
    expect([start_date, sort_direction]).toEqual(["2022-08-01", "desc"]);
  });

  it("goes on from the day of its address, or back from it where it is over (LIST-6)", () => {
    const at = (day: string) => String(startOf(day) / 1_000);
    expect(filterOf("all", undefined, query("date=2026-11-21"), 24, 0)).toEqual({
      limit: 24,
      offset: 0,
      start_date: at("2026-11-21"),
    });
    const over = filterOf("finished", "finished", query("date=2026-11-21"), 24, 0);
    expect([over.start_date, over.end_date]).toEqual(["2022-08-01", String(startOf("2026-11-22") / 1_000 - 1)]);
    expect(filterOf("upcoming", "upcoming", query("date=soon"), 24, 0).start_date).toBeUndefined();
    expect(wholeFilter("upcoming", query("date=2026-11-21&sport=hockey"))).toEqual({
      stream_status: "upcoming",
      sport: "hockey",
    });
  });

  it("offers the cities of the state that was chosen", () => {
    const at = { id: 1, name: "Arena", country_code: "US", time_zone: "America/Chicago" };
    const location = (city: string, state: string): EventLocation => ({ ...at, city, state });
    const places = [location("Fargo", "ND"), location("Duluth", "MN"), location("Duluth", "MN")];
    const cities = (params: string) => optionsOf("city", [], places, query(params), []).map(({ value }) => value);
    expect(cities("")).toEqual(["Duluth", "Fargo"]);
    expect(cities("state=MN")).toEqual(["Duluth"]);
  });
});
