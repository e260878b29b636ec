import { expect, it } from "vitest";
import { failuresOf } from "./soakFailures";

const OUTPUT = `
        PASS [   0.310s] (1/3) touchline::worker first_screen::the_home_page
        FAIL [  12.024s] (2/3) touchline::worker load::stalled_bodies_take_no_more
     TIMEOUT [  60.024s] touchline-store::contract orders::one
  TRY 1 PASS [   0.310s] touchline::worker other
        FAIL [  12.024s] (2/3) touchline::worker load::stalled_bodies_take_no_more
---- books::a_year stdout ----
  1) [folder] › e2e/tabs/leader.spec.ts:215:1 › two tabs that press Pay buy once (PAY-9) ───────────────

    Error: expect(received).toBe(expected)
`;

it("each failed test of nextest, cargo and Playwright is named once", () => {
  expect(failuresOf(OUTPUT, "test-worker")).toEqual([
    "touchline::worker load::stalled_bodies_take_no_more",
    "touchline-store::contract orders::one",
    "books::a_year",
    "tabs/leader.spec.ts:215:1 › two tabs that press Pay buy once (PAY-9)",
  ]);
});

it("the target is named if no test is: a failed build counts as well", () => {
  expect(failuresOf("error: could not compile", "test-worker")).toEqual(["make test-worker"]);
});
