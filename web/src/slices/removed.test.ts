import { expect, it } from "vitest";
import type { PortErrorJson } from "../ports/world";
import { events } from "./events";
import { queryActions } from "./queries";
import { vod } from "./vod";

const failure = (over: Partial<PortErrorJson>) =>
  ({ kind: "refused", status: 404, retryable: false, ...over }) as never;
const stored = {
  byId: { 1: { id: 1 }, 2: { id: 2 } },
  lists: { "api.listEvents:all": { ids: [2, 1], total: 2 } },
  rails: [{ id: "live", title: "Live", total: 2, ids: [1, 2] }],
  categories: [],
} as never;

it("forgets an event and a video that the channel removed", () => {
  for (const error of [failure({ code: "not_found" }), failure({ status: 410 })]) {
    const event = queryActions.failed({ query: { method: "api.getEvent", args: { id: 1 } }, error });
    expect(Object.keys(events.reducer(stored, event).byId)).toEqual(["2"]);
    const video = queryActions.failed({ query: { method: "api.getVodItem", args: { id: 1 } }, error });
    expect(Object.keys(vod.reducer(stored, video).byId)).toEqual(["2"]);
    // Ids of events and videos are independent.
    expect(events.reducer(stored, video)).toBe(stored);
    expect(vod.reducer(stored, event)).toBe(stored);
  }
});

it("keeps an event whose read failed for another reason", () => {
  for (const error of [
    failure({ code: "forbidden", status: 403 }),
    failure({ status: 404 }),
    failure({ status: 503 }),
  ]) {
    const event = queryActions.failed({ query: { method: "api.getEvent", args: { id: 1 } }, error });
    expect(events.reducer(stored, event)).toBe(stored);
  }
});
