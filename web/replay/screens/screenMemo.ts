import { stateHash } from "../../src/eventlog/hash";
import type { BothStates } from "./screenPoints";

type Slices = readonly [was: readonly string[], is: readonly string[]];

/** The results for pairs of states, equal where the screens of both builds read equal slices. */
export interface ScreenMemo<Result> {
  find(context: string, states: BothStates): Result | undefined;
  add(context: string, states: BothStates, slices: Slices, result: Result): void;
}

const keyOf = (context: string, states: BothStates, slices: Slices): string =>
  [
    context,
    ...states.flatMap((state, side) => (slices[side] ?? []).map((name) => `${name} ${stateHash(state[name])}`)),
  ].join("\n");

/** Remembers results by the slices that led to them: most actions change none that the screen reads. */
export function createScreenMemo<Result>(): ScreenMemo<Result> {
  const results = new Map<string, Result>();
  const read = new Map<string, Slices>();
  return {
    find(context, states) {
      for (const slices of read.values()) {
        const result = results.get(keyOf(context, states, slices));
        if (result !== undefined) return result;
      }
      return undefined;
    },
    add(context, states, slices, result) {
      const sorted: Slices = [slices[0].toSorted(), slices[1].toSorted()];
      read.set(JSON.stringify(sorted), sorted);
      results.set(keyOf(context, states, sorted), result);
    },
  };
}
