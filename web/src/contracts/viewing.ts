/** Player states by CTA-5004-B (`sta`): starting, playing, rebuffering, paused, ended, failed, quit. */
export type ReportedState = "s" | "p" | "r" | "a" | "e" | "f" | "q";

/** A report's event by CTA-5004-B (`e`): state change, interval, error, bitrate change. */
export type ReportReason = "ps" | "t" | "e" | "bc";

/**
 * A player's report by CTA-5004-B (QOE-1). Counts are totals since the start of the viewing, so the last report to
 * arrive has them all. Times in milliseconds.
 */
export interface ViewingReport {
  readonly sn: number;
  readonly e: ReportReason;
  readonly sta: ReportedState;
  readonly keys: { readonly [key: string]: number | string | readonly number[] | readonly string[] };
}
