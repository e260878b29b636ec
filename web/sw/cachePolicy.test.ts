import { describe, expect, it } from "vitest";
import type { WorkboxPlugin } from "workbox-core";
import type { StoredKeys } from "../src/api";
import { cachePolicy, type ReadKeys } from "./cachePolicy";

const NOBODY: StoredKeys = { channel_key: "northfield", api_key: "anyone", user_id: null };
const PERSON: StoredKeys = { channel_key: "northfield", api_key: "mine", user_id: 7 };

type Stored = Parameters<NonNullable<WorkboxPlugin["cacheWillUpdate"]>>[0];
type Used = Parameters<NonNullable<WorkboxPlugin["cachedResponseWillBeUsed"]>>[0];

const requestOf = (path: string, key: string) => new Request(`https://a.test${path}?api_key=${key}`);

/** The stored form of a request's answer. */
const stored = (readKeys: ReadKeys, request: Request, response = Response.json({ data: [] })) =>
  cachePolicy(readKeys).cacheWillUpdate?.({ request, response } as Stored);

/** The cached answer given to a request. */
const answerFor = (readKeys: ReadKeys, request: Request, cachedResponse?: Response) =>
  cachePolicy(readKeys).cachedResponseWillBeUsed?.({
    event: { request },
    request: "kept",
    cachedResponse,
  } as never as Used);

const holding = (keys: StoredKeys | null) => async () => keys;
const broken = () => Promise.reject(new Error("no database"));

describe("the cached answers", () => {
  it.each<[string, ReadKeys, string, string, boolean]>([
    ["everyone's, read anonymously", holding(NOBODY), "/api/settings", "anyone", true],
    ["everyone's, read by a viewer", holding(PERSON), "/api/settings", "mine", true],
    ["everyone's, without readable keys", broken, "/api/settings", "mine", true],
    ["an anonymous visitor's, read anonymously", holding(NOBODY), "/api/events/1", "anyone", true],
    ["an anonymous visitor's, read by a viewer", holding(PERSON), "/api/events/1", "mine", false],
    [
      "an anonymous visitor's, read by a viewer who has logged out meanwhile",
      holding(NOBODY),
      "/api/events/1",
      "mine",
      false,
    ],
    [
      "an anonymous visitor's, read by a visitor who has logged in meanwhile",
      holding(PERSON),
      "/api/events/1",
      "anyone",
      false,
    ],
    ["an anonymous visitor's, read by a viewer whose key isn't stored", holding(null), "/api/events/1", "mine", false],
    ["an anonymous visitor's, without readable keys", broken, "/api/events/1", "anyone", false],
    ["a person's, read by that person", holding(PERSON), "/api/orders", "mine", false],
    ["a person's, read anonymously", holding(NOBODY), "/api/orders", "anyone", false],
  ])("are read and written by the same rule: %s", async (_, readKeys, path, key, is) => {
    const cached = Response.json({ data: [1] });
    expect(Boolean(await stored(readKeys, requestOf(path, key)))).toBe(is);
    expect(await answerFor(readKeys, requestOf(path, key), cached)).toBe(is ? cached : null);
  });

  it("contain no refusal", async () => {
    expect(
      await stored(holding(NOBODY), requestOf("/api/settings", "anyone"), Response.json({}, { status: 500 })),
    ).toBeNull();
  });

  it("are empty if nothing was cached", async () => {
    expect(await answerFor(holding(NOBODY), requestOf("/api/settings", "anyone"))).toBeNull();
  });
});
