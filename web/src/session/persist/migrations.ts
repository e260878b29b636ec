import type { State } from "../../eventlog/envelope";

/** The snapshot version of this build. Raised with each change of a persisted slice's shape. */
export const SNAPSHOT_VERSION = 4;

/** Converts a snapshot of the previous version to its own. */
export type Migration = (slices: State) => State;

/**
 * One for each version after the first. Released versions stay here, each with a frozen sample in `samples/`, which the
 * tests migrate to the newest.
 */
export const migrations: { readonly [version: number]: Migration } = {
  // A successful purchase may record that a page has shown it; without that it is shown again.
  2: (slices) => slices,
  // So may a refused or interrupted one.
  3: (slices) => slices,
  // A page's own purchase is a slice of its own, with the request that was in the checkout.
  4({ checkout, ...slices }) {
    const { paying, ...others } = (checkout ?? {}) as { paying?: { request: unknown; submitted: unknown } | null };
    if (!paying) return { ...slices, ...(checkout === undefined ? {} : { checkout }) };
    const payment = { started: paying.submitted, followedKey: null, refused: null, isPopupClosed: false };
    return { ...slices, payment, checkout: { ...others, paying: { request: paying.request } } };
  },
};
