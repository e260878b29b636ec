import { defineMachine } from "./machine";

/** ANA. The session id sent with analytics events. */
export type AnalyticsSession =
  | { readonly at: "none" }
  | { readonly at: "fetching"; readonly attempt: number }
  /** `expiresAt`: Unix milliseconds. */
  | { readonly at: "active"; readonly session: string; readonly expiresAt: number }
  | { readonly at: "expired" }
  /** `retryAt`: Unix milliseconds. */
  | { readonly at: "failed"; readonly attempt: number; readonly retryAt: number };

export interface AnalyticsSessionFacts {
  fetchBegan: undefined;
  fetched: { session: string; expires_at: number };
  fetchFailed: { retry_at: number };
  expired: undefined;
}

const fetch = { to: ["fetching"], move: (): AnalyticsSession => ({ at: "fetching", attempt: 0 }) } as const;

export const analyticsSession = defineMachine<AnalyticsSession, AnalyticsSessionFacts>(
  "analyticsSession",
  { at: "none" },
  {
    none: { fetchBegan: fetch },
    fetching: {
      // A reloaded page fetches again.
      fetchBegan: "ignore",
      fetched: {
        to: ["active"],
        move: (_, { session, expires_at }) => ({ at: "active", session, expiresAt: expires_at }),
      },
      fetchFailed: {
        to: ["failed"],
        move: ({ attempt }, { retry_at }) => ({ at: "failed", attempt: attempt + 1, retryAt: retry_at }),
      },
    },
    active: { expired: { to: ["expired"], move: () => ({ at: "expired" }) } },
    expired: { fetchBegan: fetch },
    failed: {
      fetchBegan: { to: ["fetching"], move: ({ attempt }) => ({ at: "fetching", attempt }) },
    },
  },
);
