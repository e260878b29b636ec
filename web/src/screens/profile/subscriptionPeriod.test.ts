import { expect, it } from "vitest";
import type { Order, SubscriptionState } from "../../contracts/resources";
import { periodAt, remainingTrialDays } from "./subscriptionPeriod";

const NOW = Date.parse("2026-11-21T12:00:00.000Z");

function order(subscription: Partial<SubscriptionState>): Order {
  const state = { current_period_end: "2026-11-25T12:00:00.000Z", annual: false, past_due: false, ...subscription };
  return { created_at: "2026-11-18T12:00:00.000Z", subscription: state } as unknown as Order;
}

it("a trial runs from its order to its end, and tells the days that are left", () => {
  const trial = order({ trial_end: "2026-11-25T12:00:00.000Z" });
  expect(periodAt(trial, NOW)).toEqual({
    from: Date.parse("2026-11-18T12:00:00.000Z"),
    to: Date.parse("2026-11-25T12:00:00.000Z"),
    passed: 3 / 7,
  });
  expect(remainingTrialDays(trial, NOW)).toBe(4);
  expect(remainingTrialDays(trial, NOW + 1)).toBe(4);
});

it("a paid period is of 30 days or of a year, and is over after its end", () => {
  const monthly = order({ trial_end: "2026-10-01T12:00:00.000Z" });
  expect(new Date(periodAt(monthly, NOW)?.from ?? 0).toISOString()).toBe("2026-10-26T12:00:00.000Z");
  expect(remainingTrialDays(monthly, NOW)).toBeNull();
  const annual = order({ annual: true });
  expect(new Date(periodAt(annual, NOW)?.from ?? 0).toISOString()).toBe("2025-11-25T12:00:00.000Z");
  expect(periodAt(annual, NOW + 9e9)?.passed).toBe(1);
});
