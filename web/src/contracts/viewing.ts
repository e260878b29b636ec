/** What a player does, as CTA-5004-B has it (`sta`): starts, plays, rebuffers, is paused, ended, failed, was left. */
export type ReportedState = "s" | "p" | "r" | "a" | "e" | "f" | "q";

/** What a report is about (`e`): a change of state, the time, an error, another bitrate. */
export type ReportReason = "ps" | "t" | "e" | "bc";

/**
 * QOE-1. A player's report after CTA-5004-B: what it counts, it counts from the beginning of the viewing, so that the last
 * one that arrives tells it all. Times in milliseconds.
 */
export interface ViewingReport {
  readonly sn: number;
  readonly e: ReportReason;
  readonly sta: ReportedState;
  readonly keys: { readonly [key: string]: number | string | readonly number[] | readonly string[] };
}
