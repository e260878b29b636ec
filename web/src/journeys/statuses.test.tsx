// @vitest-environment jsdom
import { cleanup, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { PortError } from "../ports/world";
import { aBootstrap } from "../sagas/testing/resources";
import { refusing } from "../sagas/testing/world";
import { click, loggedIn, pages, rows, says, until } from "./testing/calls";
import { showPage } from "./testing/page";

afterEach(cleanup);

const WRONG = "Something went wrong. Please try again or contact technical support.";
const unanswered = (code: string) => (): never => {
  throw new PortError({ code, message: WRONG, retryable: true });
};

/**
 * The failures of a call besides a 400, with the client's message for each (api/failure.ts). No two adjacent ones have
 * the same message.
 */
const failures = [
  { what: "a portal's page", says: WRONG, answer: unanswered("unexpected_answer"), passing: true },
  { what: "401", says: "Wrong auth data.", answer: refusing(401, "Wrong auth data."), passing: false },
  {
    what: "403",
    says: "Content not available in the region.",
    answer: refusing(403, "Content not available in the region."),
    passing: false,
  },
  {
    what: "429",
    says: "Too many requests. Please try again in a moment.",
    answer: refusing(429, "Too many requests. Please try again in a moment."),
    passing: true,
  },
  {
    what: "500",
    says: "Apologies! Our service is currently experiencing technical difficulties.",
    answer: refusing(500, "Apologies! Our service is currently experiencing technical difficulties."),
    passing: true,
  },
  { what: "no answer", says: WRONG, answer: unanswered("network"), passing: true },
] as const;

// A purchase without a usable answer hasn't failed: errors.test.tsx has its page's message.
const calls = rows.filter(({ method }) => method !== "api.buy" && method !== "api.startTrial");

describe.each(calls.map((row) => ({ ...row, row })))("$path, calling $method", ({ row }) => {
  it("reports however the call fails, and continues (ERR-1, ERR-9)", async () => {
    const page = await showPage(row.path, { "api.getBootstrap": () => aBootstrap(), ...(row.script ?? loggedIn) });
    await screen.findByRole("main");
    const { begin, press, shown, answer, goesOn, method } = row;
    if (begin) await until(page, begin);
    for (const failure of failures) {
      Object.assign(page.world.script, { [method]: failure.answer });
      const text = shown?.(failure.says, failure.passing) ?? failure.says;
      const before = shown ? 0 : screen.queryAllByText(text).length;
      const callsBefore = page.world.calls(method).length;
      await until(page, () => press(page));
      await until(page, () => expect(screen.getAllByText(text).length, failure.what).toBeGreaterThan(before));
      expect(page.world.calls(method), failure.what).toHaveLength(callsBefore + 1);
      // Notices expire.
      await page.pass(6_000);
    }
    Object.assign(page.world.script, { [method]: () => answer });
    await press(page);
    await until(page, () => goesOn(page));
    page.world.expectExpected();
  }, 60_000);
});

it.each(pages)(
  "%s reports a failed read by %s, however it fails, and reads it on request (ERR-1, ERR-9)",
  async (path, method, answer, shows) => {
    for (const failure of failures) {
      const page = await showPage(path, {
        "api.getBootstrap": () => aBootstrap({ packages: [], subscriptions: [] }),
        ...loggedIn,
        [method]: failure.answer,
      });
      await until(page, () => says(WRONG));
      Object.assign(page.world.script, { [method]: () => answer });
      await until(page, () => click("Try again"));
      await until(page, () => says(shows));
      expect(screen.queryByText(WRONG), failure.what).toBeNull();
      page.world.expectExpected();
      cleanup();
    }
  },
  60_000,
);
