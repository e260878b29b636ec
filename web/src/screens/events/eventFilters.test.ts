import { describe, expect, it } from "vitest";
import type { EventLocation } from "../../contracts/resources";
import { ARCHIVE_START, FILTERS, filterOf, optionsOf, statusesOf, tabLink, tabOf } from "./eventFilters";

const query = (text: string) => new URLSearchParams(text);

describe("the list of all events", () => {
  it.each([
    ["/upcoming", "", "upcoming"],
    ["/schedule", "", "upcoming"],
    ["/live", "", "live"],
    ["/vod", "", "finished"],
    ["/upcoming", "tab=user", "user"],
    ["/upcoming", "tab=passes", "passes"],
    ["/live", "tab=nothing", "live"],
  ])("opens %s?%s at the tab %s (LIST-1, LIST-4)", (path, params, tab) => {
    expect(tabOf(path, query(params))).toBe(tab);
  });

  it("goes from tab to tab with its filters, and with nothing else of the address (LIST-3)", () => {
    const params = query("gender=female&sport=ice hockey&city=Duluth&state=MN&tab=user&trk=x");
    const kept = "gender=female&sport=ice+hockey&city=Duluth&state=MN";
    expect(tabLink("live", params)).toBe(`/live?${kept}`);
    expect(tabLink("passes", params)).toBe(`/upcoming?${kept}&tab=passes`);
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

  it("offers the cities of the state that was chosen", () => {
    const at = { id: 1, name: "Arena", country_code: "US", time_zone: "America/Chicago" };
    const place = (city: string, state: string): EventLocation => ({ ...at, city, state });
    const places = [place("Fargo", "ND"), place("Duluth", "MN"), place("Duluth", "MN")];
    const cities = (params: string) => optionsOf("city", [], places, query(params), []).map(({ value }) => value);
    expect(cities("")).toEqual(["Duluth", "Fargo"]);
    expect(cities("state=MN")).toEqual(["Duluth"]);
  });
});
