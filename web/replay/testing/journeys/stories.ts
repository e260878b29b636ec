/** A session's purpose: states of one slice, or types of actions, in this order. */
export interface Story {
  /** The slice whose `at` the steps name; absent: they are types of actions. */
  readonly slice?: string;
  readonly steps: readonly string[];
}

const states = (slice: string, steps: string): Story => ({ slice, steps: steps.split(" ") });
const actions = (...steps: string[]): Story => ({ steps });

/**
 * The stories of the sessions, by name. Those named `corners-…` have none: `logs.test.ts` counts the cells that they
 * reach.
 */
export const stories: Readonly<Record<string, Story>> = {
  browse: states("player", "closed loading playing paused playing stalled playing ended closed"),
  "startup-key-expired": states("auth", "authenticated anonymous authenticated"),
  "startup-key-fails": states("startup", "channelKey keyFailed channelKey apiKey keyFailed channelKey apiKey ready"),
  "startup-offline": states("connection", "live offline connecting offline connecting live"),
  "auth-temporary-password": states("auth", "anonymous mustChangePassword authenticated loggingOut anonymous"),
  "auth-links": actions("form/refused", "login/refusalSeen", "auth/reset", "auth/succeeded", "auth/profileLoaded"),
  account: actions("account/customerPortalPressed", "devices/revoked", "queries/failed", "queries/retryPressed"),
  "purchase-paid": states("purchase", "preparing submitting processing succeeded"),
  "purchase-declined": states("purchase", "submitting processing failed submitting processing succeeded"),
  "purchase-socket-drops": states("purchase", "submitting interrupted submitting processing interrupted processing"),
  "purchase-3ds-refused": states("purchase", "submitting confirming failed submitting confirming processing succeeded"),
  "purchase-refused": states("purchase", "rejected preparing rejected submitting rejected preparing"),
  "purchase-price-changed": states("purchase", "preparing rejected preparing submitting rejected submitting succeeded"),
  "purchase-reloaded": states("purchase", "submitting processing succeeded preparing"),
  "auto-renew": actions("purchase/orderSeen", "autoRenew/failed", "autoRenew/cancelled", "autoRenew/renewed"),
  "clock-jumps-back": states("preroll", "selecting playing done"),
  "two-tabs": states("purchase", "preparing submitting processing succeeded"),
  "outbox-offline": actions(
    "connection/wentOffline",
    "outbox/itemQueued",
    "outbox/itemReturned",
    "connection/cameOnline",
    "outbox/itemAnswered",
  ),
  "connection-weather": states("connection", "live backoff live draining offline live draining live offline"),
  "clip-fails": actions("clip/rejected", "clip/submitted", "clip/seen", "clips/deleteRefused", "clips/deleted"),
  "clip-late": actions("clip/submitted", "connection/connectFailed", "clip/ranLate", "clip/seen"),
  preroll: states("preroll", "selecting playing done selecting suppressed idle"),
  "analytics-session": states("analyticsSession", "fetching failed fetching active expired failed active"),
  french: actions("preferences/chose", "analytics/consentGiven", "auth/succeeded"),
};
