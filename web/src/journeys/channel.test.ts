// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeChannel, operations } from "./testing/channel";
import * as document from "./testing/channel/document";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Ids of the demo channel for paths with parameters. */
const PARAMS: { readonly [path: string]: { readonly [name: string]: string } } = {
  "/api/events/{id}/playback/{media_id}": { id: "25", media_id: "1" },
  "/api/custom-forms/{alias}": { alias: "contact" },
};

const pathOf = (template: string): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => PARAMS[template]?.[name] ?? "1");

describe("the fake channel", () => {
  it("answers only operations of the API document", () => {
    expect(Object.keys(operations).filter((one) => !document.operations.includes(one))).toEqual([]);
  });

  const reads = Object.keys(operations).filter((one) => one.startsWith("GET "));
  it.each(reads)("answers %s as the document says, to a visitor and to a viewer", async (operation) => {
    const channel = new FakeChannel();
    const [viewer] = channel.state.people.all;
    for (const person of [null, viewer ?? null]) {
      const key = channel.state.people.issueKey(person);
      const path = pathOf(operation.slice(4));
      const query = new URLSearchParams({
        api_key: key,
        type: "event",
        id: "1",
        promo_code: "KICKOFF20",
        q: "kestrels",
      });
      await channel.fetch(`${path}?${query}`);
    }
    expect(channel.faults).toEqual([]);
  });

  it("reports an answer or request that violates the document", () => {
    expect(document.answerFaults("GET /api/geo", 200, { data: { country: "Canada" } })).not.toEqual([]);
    expect(document.answerFaults("POST /api/auth/logout", 200, { data: { ok: true, more: 1 } })).not.toEqual([]);
    expect(document.requestFaults("POST /api/stripe/buy", { api_key: "k", type: "event", id: "1" })).not.toEqual([]);
  });
});
