import { describe, expect, it } from "vitest";
import { createEmbeddedAnswers } from "./embeddedAnswers";

const JSON_TEXT = JSON.stringify({
  "/channel-bootstrap-data": { data: { name: "north" } },
  "/participants?no_limit=1": { data: [], meta: { total: 0, limit: 0, offset: 0 } },
});
const get = (path: string, query?: { [name: string]: number }) =>
  ({ method: "GET", path, ...(query && { query }) }) as const;

describe("the answers embedded in a page (FAST-3)", () => {
  it("are used for one call each", () => {
    const answers = createEmbeddedAnswers(JSON_TEXT, () => 0);
    expect(answers(get("/channel-bootstrap-data"))).toEqual({ data: { name: "north" } });
    expect(answers(get("/channel-bootstrap-data"))).toBeNull();
    expect(answers(get("/participants", { no_limit: 1 }))?.meta?.total).toBe(0);
    expect(answers(get("/events/1"))).toBeNull();
  });

  it("are used neither for a call that changes something nor for one of an older page", () => {
    let at = 0;
    const answers = createEmbeddedAnswers(JSON_TEXT, () => at);
    expect(answers({ method: "POST", path: "/channel-bootstrap-data" })).toBeNull();
    at = 20_001;
    expect(answers(get("/channel-bootstrap-data"))).toBeNull();
  });

  it("are absent if the page has none or was truncated", () => {
    for (const text of [null, "", "{", "null"])
      expect(createEmbeddedAnswers(text, () => 0)(get("/channel-bootstrap-data"))).toBeNull();
  });
});
