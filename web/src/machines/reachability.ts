import { SECOND } from "../lib/time";
import { defineMachine } from "./machine";

/** CALL-14. Whether the channel answers this page. Browsers report a network on a dead line, too. */
export type Reachability =
  | { readonly at: "reachable" }
  /** A call was refused or is silent, or the socket was lost: a probe decides. */
  | { readonly at: "unsure" }
  /** `reported`: by the browser itself. */
  | { readonly at: "unreachable"; readonly reported: boolean };

export interface ReachabilityFacts {
  /** A call failed without an answer or is silent, or the socket was lost. */
  suspected: undefined;
  /** The channel answered. */
  answered: undefined;
  /** The browser reports a lost network, or doubts were confirmed. */
  wentOffline: undefined;
  /** The browser reports a network, or the channel answers again. */
  cameOnline: undefined;
}

/** Silence of all calls after which the channel is probed, in milliseconds. */
export const QUIET_MS = 1.5 * SECOND;
/** Shortest silence that means an unreachable channel, in milliseconds. */
export const SILENCE_MS = 3 * SECOND;

const reported = { to: ["unreachable"], move: (): Reachability => ({ at: "unreachable", reported: true }) } as const;

export const reachability = defineMachine<Reachability, ReachabilityFacts>(
  "reachability",
  { at: "reachable" },
  {
    reachable: {
      suspected: { to: ["unsure"], move: () => ({ at: "unsure" }) },
      answered: "ignore",
      wentOffline: reported,
      cameOnline: "ignore",
    },
    unsure: {
      suspected: "ignore",
      answered: { to: ["reachable"], move: () => ({ at: "reachable" }) },
      wentOffline: { to: ["unreachable"], move: () => ({ at: "unreachable", reported: false }) },
      cameOnline: "ignore",
    },
    unreachable: {
      suspected: "ignore",
      answered: "ignore",
      wentOffline: reported,
      cameOnline: {
        to: ["reachable", "unsure"],
        // Browsers report a network before it is usable.
        move: (state) => ({ at: state.reported ? "unsure" : "reachable" }),
      },
    },
  },
);
