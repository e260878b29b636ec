import { describe, expect, it, vi } from "vitest";
import { withoutPrivate } from "../lib/privateText";
import { drawNumber, newUuid } from "../session/ambient";
import { readShellConfig } from "../session/config";
import { pageOpened, pageRecorder } from "./pages";

describe("an id", () => {
  it("is a UUIDv7 of its moment, and sorts by it", () => {
    const at = Date.UTC(2026, 10, 21, 10, 0, 0, 250);
    const id = newUuid(at);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)).toBe(at);
    expect(newUuid(at) < newUuid(at + 1)).toBe(true);
  });

  it("and a draw come from the browser's own chance, within their bounds", () => {
    const fill = vi.spyOn(crypto, "getRandomValues");
    fill.mockImplementation((array) => {
      (array as unknown as Uint32Array).fill(0xffffffff);
      return array;
    });
    expect(drawNumber()).toBeLessThan(1);
    expect(drawNumber()).toBeGreaterThan(0.999999);
    fill.mockRestore();
  });
});

describe("the shell's configuration", () => {
  it("is read as the worker writes it", () => {
    const json = JSON.stringify({
      channel_key: "laurentides",
      language: "fr",
      name: "Sports Laurentides",
      scheme: "light",
      colors: { accent: "#123456" },
      public: { analytics_allow_localhost: true, build: "b1" },
    });
    expect(readShellConfig(json)).toEqual({
      channelKey: "laurentides",
      language: "fr",
      name: "Sports Laurentides",
      colours: { accent: "#123456", scheme: "light" },
      build: "b1",
      sendsAnalyticsFromLocalhost: true,
    });
  });

  it.each([null, "", "{", "[]", '{"public": 3, "colors": null, "language": 7}'])(
    "may be missing or torn: %s",
    (json) => {
      expect(readShellConfig(json)).toMatchObject({ language: "en", sendsAnalyticsFromLocalhost: false });
    },
  );
});

const same = (text: string): string => text;

describe("a page that was reached", () => {
  it("is recorded without an address, a phone number or a card in its query, and with its ids (LOG-2)", () => {
    const search = "?q=vera%40example.test&trk=vera%40example.test&event_id=12345678&from=2026-11-28";
    const action = pageOpened({ pathname: "/search", search }, [], (text) => withoutPrivate(text, () => "X"));
    expect(action).toMatchObject({
      payload: {
        page: { query: { q: "X", trk: "[private]", event_id: "12345678", from: "2026-11-28" } },
        trk: "[private]",
      },
    });
  });

  it("is recorded with its tracking value as sent, which may be a day or a long number (NAV-6)", () => {
    for (const trk of ["spring-20261115", "12345678901234567"]) {
      const search = `?trk=${trk}`;
      const action = pageOpened({ pathname: "/", search }, [], (text) => withoutPrivate(text, () => "X"));
      expect(action).toMatchObject({ payload: { page: { query: { trk } }, trk } });
    }
  });

  it("is recorded with its query, without what a mailed link carries of a person", () => {
    const search =
      "?email=vera%40example.test&expires=1&signature=s3cret&code=abc&state=x&api_key=k3y&access_token=t0ken&event_id=3&trk=spring";
    expect(pageOpened({ pathname: "/verify-email", search }, [], same)).toEqual({
      type: "navigation/pageOpened",
      payload: {
        page: { name: "verifyEmail", path: "/verify-email", params: {}, query: { event_id: "3", trk: "spring" } },
        remembered: false,
        trk: "spring",
      },
    });
  });

  it("is recorded once, when it is reached, and not where it leads nowhere", () => {
    const paths: string[] = [];
    const record = pageRecorder(
      () => [{ id: 4, url: "/shop", name: "Shop" }],
      (_, action) => {
        paths.push((action as unknown as { payload: { page: { path: string } } }).payload.page.path);
      },
      same,
    );
    for (const [path, key] of [
      ["/", "a"],
      ["/watch/3", "b"],
      ["/watch/3", "b"],
      ["/nowhere", "c"],
      ["/shop", "d"],
      ["/watch/3", "e"],
    ] as const) {
      record({ pathname: path, search: "", key });
    }
    expect(paths).toEqual(["/", "/watch/3", "/shop", "/watch/3"]);
  });
});
