import type { State } from "../../eventlog/envelope";

/** The version of the snapshots that this build writes. Raised with each change of a persisted slice's shape. */
export const SNAPSHOT_VERSION = 7;

/** Turns a snapshot of the version before into one of its own version. */
export type Migration = (slices: State) => State;

/**
 * One for each version after the first. A version that was ever released stays here, with a frozen sample of what it
 * wrote in `samples/`, which the tests migrate to the newest.
 */
export const migrations: { readonly [version: number]: Migration } = {
  // Analytics have a sender of their own; the one that was for everything is for what the viewer sees.
  2: (slices) => ({ ...slices, analyticsOutbox: { at: "idle" } }),
  // Sessions were told under the channel's key: each browser gets one of its own, and a session under it.
  3: ({ analytics, ...slices }) => ({
    ...slices,
    analytics: { ...(analytics as object), profile: null },
    analyticsSession: { at: "none" },
  }),
  // What is under way of a login or a logout has a tab that drives it: this was nobody's, and the next page takes it on.
  4: (slices) => {
    // What belongs to a page alone has none of the viewer's.
    const auth = slices.auth as { readonly at: string } | undefined;
    const isUnderWay = auth?.at === "authenticating" || auth?.at === "loggingOut";
    return isUnderWay ? { ...slices, auth: { ...auth, owner: "" } } : slices;
  },
  // A wait says whether the server asked for it. Of an older one nobody knows: it may be cut short, as it could be.
  5: (slices) => slices,
  // What ended before it was heard to begin is remembered.
  // So are the times of favourites' changes.
  6: ({ outbox, favourites, ...slices }) => ({
    ...slices,
    ...(outbox === undefined ? {} : { outbox: { ...(outbox as object), ended: [], endedAt: 0 } }),
    ...(favourites === undefined ? {} : { favourites: { ...(favourites as object), asOf: 0, changes: {} } }),
  }),
  // A declined card was listed with the saved ones: the cards are read anew. A refusal did not say what was refused.
  7: ({ checkout, ...slices }) => ({
    ...slices,
    ...(checkout === undefined ? {} : { checkout: { ...(checkout as object), cards: null } }),
  }),
};
