// @vitest-environment jsdom
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { UnknownAction } from "@reduxjs/toolkit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { PageVisit } from "../slices/navigation";
import { earlyPages, linkPressed } from "./earlyPages";
import { pageRecorder } from "./pages";

const STORED = "touchline:early-pages";
/** The inline script of each page (`site/start.js`). */
const START = readFileSync(resolve(import.meta.dirname, "../../../worker/touchline/src/site/start.js"), "utf8");
const HOUR = 3_600_000;
let opened = 1_795_255_200_000;

/** Loads a page from the worker, up to the start of the site's own script. */
function load(address: string, { referrer = "", firstScreen = true } = {}): void {
  opened += 1_000;
  window.history.replaceState(null, "", address);
  vi.spyOn(performance, "timeOrigin", "get").mockReturnValue(opened);
  vi.spyOn(document, "referrer", "get").mockReturnValue(referrer);
  document.body.innerHTML = firstScreen ? '<div id="first"><a href="/vod">All</a></div><div id="root"></div>' : "";
  new Function(START)();
}

/** Takes over like the site's script: reads the referrer and the recorded pages. */
function takeOver(now = opened) {
  const recorded: { page: PageVisit; trk: string | null }[] = [];
  const input = (_: string, action: UnknownAction) => void recorded.push((action as never)["payload"]);
  const pages = earlyPages(window, now);
  const record = pageRecorder(
    () => [],
    input,
    (text) => text,
  );
  pages.record(record);
  record({ ...window.location, key: "default" });
  return { referrer: pages.referrer, recorded: recorded.map(({ page: { path }, trk }) => [path, trk]) };
}

beforeEach(() => sessionStorage.clear());
afterEach(() => vi.restoreAllMocks());

describe("pages that were left before the site's script took over (NAV-10)", () => {
  it("are recorded by the next page, in their order, with the link's tracking value and where it stood", () => {
    load("/?trk=flyer", { referrer: "https://news.example/today" });
    load("/upcoming", { referrer: "http://localhost:3000/?trk=flyer" });
    load("/buy?event_id=7", { referrer: "http://localhost:3000/upcoming", firstScreen: false });
    expect(takeOver()).toEqual({
      referrer: "https://news.example/today",
      recorded: [
        ["/", "flyer"],
        ["/upcoming", null],
        ["/buy", null],
      ],
    });
    // Only once.
    load("/vod", { referrer: "http://localhost:3000/buy" });
    expect(takeOver()).toEqual({ referrer: "http://localhost:3000/buy", recorded: [["/vod", null]] });
  });

  it("leave the language that a link named to the next page", () => {
    load("/?lang=fr");
    load("/vod");
    expect(earlyPages(window, opened).searches).toEqual(["", "?lang=fr"]);
  });

  it("are visits of their own when one address is opened twice", () => {
    load("/vod");
    load("/vod");
    expect(takeOver().recorded).toEqual([
      ["/vod", null],
      ["/vod", null],
    ]);
  });

  it("do not include the page that takes over, nor what a restored tab remembers of another day", () => {
    load("/?trk=old", { referrer: "https://news.example/" });
    load("/vod");
    expect(takeOver(opened + 3 * HOUR)).toEqual({ referrer: "", recorded: [["/vod", null]] });
  });

  it("are twenty at most, with the first of them", () => {
    for (let n = 1; n <= 30; n++) load(`/watch/${n}`);
    const { recorded } = takeOver();
    expect(recorded).toHaveLength(21);
    expect(recorded[0]).toEqual(["/watch/1", null]);
  });

  it.each(["{", "null", "7", '[null, 7, {}, {"pathname": 3}]'])("are none where the storage holds %s", (stored) => {
    sessionStorage.setItem(STORED, stored);
    load("/vod", { firstScreen: false });
    expect(takeOver().recorded).toEqual([["/vod", null]]);
    expect(sessionStorage.getItem(STORED)).toBeNull();
  });

  it("are none where the browser refuses to store anything, and nothing breaks", () => {
    vi.spyOn(window, "sessionStorage", "get").mockImplementation(() => {
      throw new DOMException("denied", "SecurityError");
    });
    load("/?trk=flyer");
    load("/vod");
    expect(takeOver().recorded).toEqual([["/vod", null]]);
  });
});

describe("a press on the first screen once the site has taken over (NAV-9)", () => {
  const press = (html: string, init: MouseEventInit = {}) => {
    document.body.innerHTML = html;
    const event = new MouseEvent("click", { bubbles: true, cancelable: true, ...init });
    document.querySelector("[data-pressed]")?.dispatchEvent(event);
    return linkPressed(event, window.location.origin);
  };

  it("on a link of the site leads there within it", () => {
    expect(press('<a href="/watch/7?t=3#top"><b data-pressed>Watch</b></a>')).toBe("/watch/7?t=3#top");
  });

  it.each([
    ["on no link", "<b data-pressed>Watch</b>", {}],
    ["on a link to another host", '<a data-pressed href="https://other.example/">Watch</a>', {}],
    ["that asks for another tab", '<a data-pressed href="/vod">Watch</a>', { ctrlKey: true }],
    ["that asks for another window", '<a data-pressed href="/vod">Watch</a>', { shiftKey: true }],
    ["by the second button", '<a data-pressed href="/vod">Watch</a>', { button: 1 }],
    ["on a link with a target", '<a data-pressed target="_blank" href="/vod">Watch</a>', {}],
  ])("%s is the browser's", (_, html, init) => {
    expect(press(html, init)).toBeNull();
  });
});
