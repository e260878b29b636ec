import type { UnknownAction } from "@reduxjs/toolkit";
import type { PortErrorJson } from "../ports/error";
import { differingSlices, reshapedSlices } from "./divergence";
import type { Line, State } from "./envelope";
import type { Program } from "./live";
import { withoutFields, withoutTopLevel } from "./newFields";
import { fileLine, type Log } from "./parse";
import { sliceHash } from "./recorder";
import { newerThan, upcast } from "./upcasters";

/** A program with any state type. */
export interface AnyProgram extends Omit<Program, "reducer"> {
  reducer(state: never, action: UnknownAction): object;
  /** A port's error, if the sagas are another build's and know it by a class of their own. */
  portError?(error: PortErrorJson): Error;
}

/** The version of a slice's shape. */
export const shapeOf = ({ shapes }: Pick<AnyProgram, "shapes">, slice: string): number => shapes?.[slice] ?? 1;

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

/** The state after a line. A turn that throws keeps its state, as it did live. */
export function stateAfter(program: AnyProgram, state: State, line: Line): State {
  if (line.kind === "snapshot") return firstState(program, line.payload.state);
  if (line.kind !== "action") return state;
  try {
    return fold(program, state, line.type, line.payload);
  } catch {
    return state;
  }
}

/** The states of a log's recorded actions, computed as far as asked for. */
export function createFold(program: AnyProgram, recorded: Log) {
  const { lines } = modernised(program, recorded).log;
  let state = firstState(program, recorded.header.snapshot);
  let next = 0;

  return {
    /** The state before the line of an index, which isn't below the previous one. */
    stateAt(index: number): State {
      for (; next < index; next++) state = stateAfter(program, state, lines[next] as Line);
      return state;
    },
  };
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
  /** Admits fields that this build's actions have and the log's don't: slices may have stored them. */
  admit(fields: readonly string[]): void;
  /** Slices that couldn't be compared because their shape has changed, and new fields, which no log has. */
  warnings(): string[];
}

const listed = (title: string, names: ReadonlySet<string>): string[] =>
  names.size === 0 ? [] : [`${title}: ${[...names].join(", ")}`];

export function createStateCheck(program: AnyProgram): StateCheck {
  const reshaped = new Set<string>();
  // A checkpoint omits unchanged slices: a recorded hash holds until the log replaces it.
  let recordedHashes = new Map<string, string>();
  // State is immutable: a slice that matched still matches while it is the same object.
  let found = new Map<string, unknown>();
  const shape = (slice: string): number => shapeOf(program, slice);
  const newFields = new Set<string>();
  const ofActions = new Set<string>();
  let initial: State | undefined;

  /**
   * Whether a slice has its recorded hash without new fields: those of this build's initial state, which an older build
   * would have recorded from the start, or those of actions.
   */
  function differsInNewFields(name: string, slice: unknown, recordedHash: string | undefined): boolean {
    const isRecorded = (value: unknown): boolean => sliceHash(shape(name), value) === recordedHash;
    initial ??= firstState(program, null);
    for (const [fields, value] of withoutTopLevel(slice, Object.keys(initial[name] ?? {}))) {
      if (!isRecorded(withoutFields(value, ofActions))) continue;
      for (const field of fields) newFields.add(`${name}.${field}`);
      return true;
    }
    return ofActions.size > 0 && isRecorded(withoutFields(slice, ofActions));
  }

  function check(state: State, recorded: Readonly<Record<string, string>>): StateDifference | undefined {
    const slices = differingSlices(state, recorded, shape).filter(
      (name) => !differsInNewFields(name, state[name], recorded[name]),
    );
    for (const name of Object.keys(recorded)) found.set(name, state[name]);
    if (slices.length === 0) return undefined;
    const hashes = (of: (name: string) => string | null) => Object.fromEntries(slices.map((name) => [name, of(name)]));
    return {
      slices,
      expected: hashes((name) => recorded[name] ?? null),
      got: hashes((name) => (name in state ? sliceHash(shape(name), state[name]) : null)),
    };
  }

  return {
    checkpoint(state, recorded) {
      for (const name of reshapedSlices(recorded, shape)) reshaped.add(name);
      for (const name of Object.keys(recorded)) recordedHashes.set(name, recorded[name] as string);
      const changed: Record<string, string> = {};
      for (const [name, hash] of recordedHashes)
        if (name in recorded || state[name] !== found.get(name)) changed[name] = hash;
      return check(state, changed);
    },
    snapshot(state, recorded) {
      const comparable = Object.keys(recorded).filter((name) => !reshaped.has(name));
      recordedHashes = new Map(comparable.map((name) => [name, sliceHash(shape(name), recorded[name])]));
      return check(state, Object.fromEntries(recordedHashes));
    },
    forget() {
      recordedHashes = new Map();
      found = new Map();
    },
    admit(fields) {
      for (const field of fields) ofActions.add(field);
    },
    warnings: () => [
      ...listed("not compared, because their shape has changed", reshaped),
      ...listed("not compared, because the log has no such fields", newFields),
    ],
  };
}

/** Whether this line records that its turn threw. */
export const recordsCrash = (line: Line | undefined): boolean => line?.kind === "checkpoint" && line.type === "crashed";
