import type { Order } from "../../contracts/resources";
import { DAY } from "../../lib/time";

/** The current period in Unix milliseconds, and its elapsed share, 0 to 1. */
export interface Period {
  readonly from: number;
  readonly to: number;
  readonly passed: number;
}

/** The current period of a subscription; null for other orders. A trial starts with its order. */
export function periodAt(order: Order, now: number): Period | null {
  const { subscription } = order;
  if (!subscription) return null;
  const to = Date.parse(subscription.current_period_end);
  const from = fromOf(order, to);
  return { from, to, passed: to > from ? Math.min(1, Math.max(0, (now - from) / (to - from))) : 1 };
}

function fromOf({ subscription, created_at }: Order, to: number): number {
  if (subscription?.trial_end === subscription?.current_period_end) return Date.parse(created_at);
  if (subscription?.annual !== true) return to - 30 * DAY;
  const from = new Date(to);
  from.setUTCFullYear(from.getUTCFullYear() - 1);
  return from.getTime();
}

/** Remaining days of a trial, including today; null if there is none. */
export function remainingTrialDays({ subscription }: Order, now: number): number | null {
  if (!subscription || subscription.trial_end !== subscription.current_period_end) return null;
  const remaining = Date.parse(subscription.current_period_end) - now;
  return remaining > 0 ? Math.ceil(remaining / DAY) : null;
}
