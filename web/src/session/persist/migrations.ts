import type { State } from "../../eventlog/envelope";

/** The version of the snapshots that this build writes. Raised with each change of a persisted slice's shape. */
export const SNAPSHOT_VERSION = 3;

/** Turns a snapshot of the version before into one of its own version. */
export type Migration = (slices: State) => State;

/**
 * One for each version after the first. A version that was ever released stays here, with a frozen sample of what it
 * wrote in `samples/`, which the tests migrate to the newest.
 */
export const migrations: { readonly [version: number]: Migration } = {
  // A purchase that succeeded may say that a page has shown it: one that does not is shown once more.
  2: (slices) => slices,
  // So may one that was refused or cut off.
  3: (slices) => slices,
};
