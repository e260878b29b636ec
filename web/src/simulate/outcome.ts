import type { Crash, DifferenceKind, Divergence } from "../eventlog/divergence";
import type { Missing } from "../eventlog/replay";

/** What the Worker found, as the command-line replayer tells it. */
export interface Findings {
  /** What a log that differs suffers from; null for others. */
  readonly kind: DifferenceKind | null;
  /** What of the session was not replayed. */
  readonly missing: readonly Missing[];
  readonly reducers: Finding;
  /** The text says why the sagas were left out. */
  readonly sagas: Finding | string;
}

/** One replay's verdict. */
export interface Finding {
  readonly same: boolean;
  readonly actions: number;
  /** Of the state that it ended in, as the command-line replayer tells it. */
  readonly hash: string;
  readonly warnings: readonly string[];
  readonly crashes: readonly Crash[];
  readonly divergence: Divergence | null;
}

/** What is asked of the Worker, and what it answers. */
export interface Question {
  readonly text: string;
}
export type Answer = { readonly findings: Findings } | { readonly failed: string };

/** How long a replay may take: ten minutes of a session take a tenth of a second. */
const PATIENCE_MS = 60_000;

/** The position at which a line shows that is told of by its number. */
export const positionOf = ({ line }: { readonly line: number }): number => line - 1;

/** What was thrown in the turn of the line with this number, by either replay, each once. */
export function crashesAt(findings: Findings | null, line: number): Crash[] {
  if (!findings) return [];
  const { reducers, sagas } = findings;
  const all = [...reducers.crashes, ...(typeof sagas === "string" ? [] : sagas.crashes)];
  const here = all.filter((crash) => crash.line === line);
  return here.filter(({ message }, index) => here.findIndex((one) => one.message === message) === index);
}

/** The divergences of both replays, first one first, each place once. */
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
 * Replays a log in a Worker of its own: redux-saga's scheduler is global to a realm, and this page's realm has the
 * visitor's sagas in it. Answers how to stop.
 */
export function replayApart(text: string, told: (answer: Answer) => void): () => void {
  const worker = new Worker(new URL("./replay.worker.ts", import.meta.url), { type: "module", name: "replay" });
  const timer = setTimeout(() => end({ failed: "The replay took too long." }), PATIENCE_MS);
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
