import type { Crash, DifferenceKind, Divergence } from "../eventlog/divergence";
import type { Missing } from "../eventlog/replay";

/** The Worker's findings, in the terms of the command-line replayer. */
export interface Findings {
  /** The kind of difference; null if there is none. */
  readonly kind: DifferenceKind | null;
  /** Parts of the session that were not replayed. */
  readonly missing: readonly Missing[];
  readonly reducers: Finding;
  /** A text gives the reason why sagas were not replayed. */
  readonly sagas: Finding | string;
}

export interface Finding {
  readonly same: boolean;
  readonly actions: number;
  /** The final state's hash, as the command-line replayer prints it. */
  readonly hash: string;
  readonly warnings: readonly string[];
  readonly crashes: readonly Crash[];
  readonly divergence: Divergence | null;
}

export interface Question {
  readonly text: string;
}
export type Answer = { readonly findings: Findings } | { readonly failed: string };

/** Timeout of a replay: ten minutes of a session take a tenth of a second. */
const REPLAY_TIMEOUT_MS = 60_000;

/** The position of a line number. */
export const positionOf = ({ line }: { readonly line: number }): number => line - 1;

/** Warnings of both replays, each once. */
export const warningsOf = ({ reducers, sagas }: Findings): string[] => [
  ...new Set([...reducers.warnings, ...(typeof sagas === "string" ? [] : sagas.warnings)]),
];

/** Errors of both replays. */
export function allCrashes(findings: Findings | null): Crash[] {
  if (!findings) return [];
  const { reducers, sagas } = findings;
  return [...reducers.crashes, ...(typeof sagas === "string" ? [] : sagas.crashes)];
}

/** Errors of either replay in the turn of this line, without duplicates. */
export function crashesAt(findings: Findings | null, line: number): Crash[] {
  const here = allCrashes(findings).filter((crash) => crash.line === line);
  return here.filter(({ message }, index) => here.findIndex((one) => one.message === message) === index);
}

/** Divergences of both replays in order, one per position. */
export function divergences(findings: Findings | null): Divergence[] {
  if (!findings) return [];
  const { reducers, sagas } = findings;
  const found = [reducers.divergence, typeof sagas === "string" ? null : sagas.divergence].filter(
    (one) => one !== null,
  );
  found.sort((one, other) => one.line - other.line);
  return found.filter((one, index) => found.findIndex(({ line }) => line === one.line) === index);
}

/**
 * Replays a log in a separate Worker: redux-saga's scheduler is global to a realm, and this page's realm runs the
 * visitor's sagas. Returns a function that stops it.
 */
export function replayApart(text: string, told: (answer: Answer) => void): () => void {
  const worker = new Worker(new URL("./replay.worker.ts", import.meta.url), { type: "module", name: "replay" });
  const timer = setTimeout(() => end({ failed: "The replay took too long." }), REPLAY_TIMEOUT_MS);
  let over = false;
  function end(answer: Answer | null): void {
    if (over) return;
    over = true;
    clearTimeout(timer);
    worker.terminate();
    if (answer) told(answer);
  }
  worker.onmessage = ({ data }: MessageEvent<Answer>) => end(data);
  worker.onerror = ({ message }) => end({ failed: message || "The replay could not be started." });
  worker.postMessage({ text } satisfies Question);
  return () => end(null);
}
