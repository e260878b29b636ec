import type { Divergence } from "../eventlog/divergence";

/** What the Worker found. Positions are those of a `Recording`. */
export interface Findings {
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
  readonly divergence: Divergence | null;
}

/** What is asked of the Worker, and what it answers. */
export interface Question {
  readonly text: string;
}
export type Answer = { readonly findings: Findings } | { readonly failed: string };

/** How long a replay may take: ten minutes of a session take a tenth of a second. */
const PATIENCE_MS = 60_000;

/** The position at which a divergence shows: its line's own. */
export const positionOf = ({ line }: Divergence): number => line - 1;

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
