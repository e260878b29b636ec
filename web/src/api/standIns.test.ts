import { expect, it } from "vitest";
import { createStandIns } from "./standIns";
import { ending, fixedKeys } from "./testing/channel";

const fresh = () => {
  let handles = 0;
  return createStandIns(() => `0190b2c3-0000-7000-8000-${String(++handles).padStart(12, "0")}`);
};

it("a private part of a text has a stand-in without digits, the same for the same text (LOG-2)", () => {
  const { standIn, filledIn } = fresh();
  const text = "tickets for vera@viewer.example, 416 555 0182";
  const stored = standIn(text);
  expect(stored).toMatch(/^tickets for \[private [a-p]{12}\] \[private [a-p]{12}\]$/);
  expect(standIn(text)).toBe(stored);
  expect(standIn(stored)).toBe(stored);
  expect(filledIn(stored)).toBe(text);
  expect(standIn("gulls")).toBe("gulls");
});

it("a stand-in of another page stays as it is, and only the latest texts are remembered", () => {
  const { standIn, filledIn } = fresh();
  expect(filledIn("[private abcdefghijkl]")).toBe("[private abcdefghijkl]");
  const [first, last] = [standIn("a@b"), ...Array.from({ length: 300 }, (_, at) => standIn(`a@b${at}`))].filter(
    (_, at, all) => at === 0 || at === all.length - 1,
  ) as [string, string];
  expect(filledIn(first)).toBe(first);
  expect(filledIn(last)).toBe("a@b299");
});

it("a search is sent as typed, and its failure is reported without its private part (LOG-2)", async () => {
  const { api, seen, reports } = fixedKeys(() => new Response("{}", { status: 400 }));
  const q = api.account.standIn("card 4242 4242 4242 4242");
  expect(q).toMatch(/^card \[private /);
  await ending(api.call("api.search", { q }, undefined));
  expect(seen[0]?.path).toBe("/api/search?q=card 4242 4242 4242 4242");
  expect(reports).toMatchObject([{ url: "/search?q=card%20%5Bprivate%5D" }]);
});
