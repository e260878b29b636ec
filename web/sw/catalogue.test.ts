import { describe, expect, it } from "vitest";
import { audienceOf, cacheCopy, cacheKeyOf, isAnswer, isPublicPicture, NO_PAGES, STALE_HEADER } from "./catalogue";

describe("the service worker's cache", () => {
  it.each([
    ["/api/settings", "everyone"],
    ["/api/pages/3", "everyone"],
    ["/api/slides/web", "everyone"],
    ["/api/events", "anonymous"],
    ["/api/events/12", "anonymous"],
    ["/api/channel-bootstrap-data", "anonymous"],
    ["/api/packages/2", "anonymous"],
    ["/api/packages/contents", "everyone"],
    ["/api/profile", "person"],
    ["/api/user/access", "person"],
    ["/api/orders", "person"],
    ["/api/orders/3", "person"],
    ["/api/favorites", "person"],
    ["/api/events/favorite", "person"],
    ["/api/events/with_clip", "person"],
    ["/api/clips/user", "person"],
    ["/api/stripe/list-cards", "person"],
    ["/api/auth/sessions", "person"],
    ["/api/geo", "person"],
    ["/datalake/hash/", "person"],
    ["/media/northfield/s/1-a/hls/v0/seg_001.m4s", "person"],
  ])("%s is for %s", (path, audience) => {
    expect(audienceOf(path)).toBe(audience);
  });

  it("omits the key, whatever the order of the query", () => {
    expect(cacheKeyOf("https://a.test/api/events?limit=3&api_key=secret&city=Alma")).toBe(
      cacheKeyOf("https://a.test/api/events?city=Alma&limit=3&api_key=other"),
    );
    expect(cacheKeyOf("https://a.test/api/events?api_key=secret")).not.toContain("secret");
  });

  it.each([
    ["an answer of the channel", Response.json({ data: [], meta: { total: 0 } }), true],
    [
      "a portal's page",
      new Response("<h1>Log in to the Wi-Fi</h1>", { headers: { "content-type": "text/html" } }),
      false,
    ],
    [
      "a portal's page that calls itself JSON",
      new Response("<h1>", { headers: { "content-type": "application/json" } }),
      false,
    ],
    ["JSON of another server", Response.json({ login: "/portal" }), false],
    ["JSON that isn't an object", Response.json(null), false],
    ["a refusal", Response.json({ data: [] }, { status: 500 }), false],
  ])("accepts an answer, or not: %s", async (_, response, is) => {
    expect(await isAnswer(response)).toBe(is);
    // The page can still read it.
    expect(response.bodyUsed).toBe(false);
  });

  it("contains a copy without an address, marked as old", async () => {
    const original = Response.json({ data: [1] }, { headers: { "x-request-id": "r1" } });
    Object.defineProperty(original, "url", { value: "https://a.test/api/events?api_key=secret" });
    const cached = await cacheCopy(original);
    expect(cached.url).toBe("");
    expect(cached.headers.get(STALE_HEADER)).toBe("1");
    expect(cached.headers.get("x-request-id")).toBeNull();
    expect(await cached.json()).toEqual({ data: [1] });
  });

  it("contains public pictures, and nothing signed", () => {
    const picture = (path: string, destination = "image") =>
      isPublicPicture(new URL(path, "https://a.test"), destination);
    expect(picture("/media/northfield/crests/kestrels.svg")).toBe(true);
    expect(picture("/media/northfield/s/1-abc/posters/a.jpg")).toBe(false);
    expect(picture("/media/northfield/posters/a.jpg?width=640")).toBe(true);
    expect(picture("/media/northfield/posters/a.jpg?width=640&expires=1")).toBe(false);
    expect(picture("/media/northfield/posters/a.jpg?expires=1")).toBe(false);
    expect(picture("/media/northfield/hls/seg_001.m4s", "video")).toBe(false);
    expect(picture("/api/events")).toBe(false);
  });

  it("serves the shell for pages, and for nothing else", () => {
    const isPage = (path: string) => !NO_PAGES.some((pattern) => pattern.test(path));
    for (const path of ["/", "/watch/3", "/profile/clips", "/apiary", "/mediation", "/404"])
      expect(isPage(path)).toBe(true);
    for (const path of ["/api/events", "/api", "/media/a.svg", "/datalake/batch", "/sync", "/keys/a.json", "/sw.js"]) {
      expect(isPage(path)).toBe(false);
    }
  });
});
