import type { UnknownAction } from "@reduxjs/toolkit";
import { differingSlices, reshapedSlices } from "./divergence";
import type { Line, State } from "./envelope";
import type { Program } from "./live";
import { fileLine, type Log } from "./parse";
import { sliceHash } from "./recorder";
import { newerThan, upcast } from "./upcasters";

/** A program with any state type. */
export interface AnyProgram extends Omit<Program, "reducer"> {
  reducer(state: never, action: UnknownAction): object;
}

/** Folds one action. Throws the reducer's errors. */
export function fold(program: AnyProgram, state: State | undefined, type: string, payload: unknown): State {
  return program.reducer(state as never, { type, payload }) as State;
}

// A type that no reducer handles, like Redux's own first action.
const INIT = "@@touchline/begun";

/** A log's initial state. The reducer adds slices that the log lacks. */
export function firstState(program: AnyProgram, snapshot: State | null): State {
  return fold(program, snapshot ?? undefined, INIT, null);
}

/** The log upcast to this build's shapes, with warnings. */
export function modernised(program: AnyProgram, log: Log): { log: Log; warnings: string[] } {
  const warnings: string[] = [];
  const lines = log.lines.map((line, index) => {
    const newer = newerThan(program, line);
    if (newer) {
      const which = `${newer.type} has version ${newer.version}`;
      warnings.push(`line ${fileLine(index)}: ${which}, newer than this build`);
    }
    return upcast(program, line);
  });
  return { log: { header: log.header, lines }, warnings };
}

/** A difference between a state and the log. */
export interface StateDifference {
  readonly slices: string[];
  readonly expected: Record<string, string | null>;
  readonly got: Record<string, string | null>;
}

/** Compares states with checkpoints and snapshots, slice by slice. */
export interface StateCheck {
  checkpoint(state: State, recorded: Readonly<Record<string, string>>): StateDifference | undefined;
  snapshot(state: State, recorded: State): StateDifference | undefined;
  /** Discards the recorded hashes: the log continues from a new state. */
  forget(): void;
  /** Encountered slices whose shape has changed since, which hashes can't compare. */
  reshaped(): string[];
}

export function createStateCheck(program: AnyProgram): StateCheck {
  const reshaped = new Set<string>();
  // A checkpoint omits unchanged slices: a recorded hash holds until the log replaces it.
  let recordedHashes = new Map<string, string>();
  // State is immutable: a slice that matched still matches while it is the same object.
  let found = new Map<string, unknown>();
  const shapeOf = (slice: string): number => program.shapes?.[slice] ?? 1;

  function check(state: State, recorded: Readonly<Record<string, string>>): StateDifference | undefined {
    const slices = differingSlices(state, recorded, shapeOf);
    for (const name of Object.keys(recorded)) found.set(name, state[name]);
    if (slices.length === 0) return undefined;
    const hashes = (of: (name: string) => string | null) => Object.fromEntries(slices.map((name) => [name, of(name)]));
    return {
      slices,
      expected: hashes((name) => recorded[name] ?? null),
      got: hashes((name) => (name in state ? sliceHash(shapeOf(name), state[name]) : null)),
    };
  }

  return {
    checkpoint(state, recorded) {
      for (const name of reshapedSlices(recorded, shapeOf)) reshaped.add(name);
      for (const name of Object.keys(recorded)) recordedHashes.set(name, recorded[name] as string);
      const changed: Record<string, string> = {};
      for (const [name, hash] of recordedHashes)
        if (name in recorded || state[name] !== found.get(name)) changed[name] = hash;
      return check(state, changed);
    },
    snapshot(state, recorded) {
      const comparable = Object.keys(recorded).filter((name) => !reshaped.has(name));
      recordedHashes = new Map(comparable.map((name) => [name, sliceHash(shapeOf(name), recorded[name])]));
      return check(state, Object.fromEntries(recordedHashes));
    },
    forget() {
      recordedHashes = new Map();
      found = new Map();
    },
    reshaped: () => [...reshaped],
  };
}

/** Whether this line records that its turn threw. */
export const recordsCrash = (line: Line | undefined): boolean => line?.kind === "checkpoint" && line.type === "crashed";
