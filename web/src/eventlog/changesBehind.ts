import type { State } from "./envelope";
import { type AnyProgram, type StateDifference, shapeOf } from "./folding";
import { type PathChange, pathChanges } from "./pathChanges";
import { sliceHash } from "./recorder";

/**
 * The values behind a difference of hashes, as far as the recorded state could be computed: a whole slice, without
 * values, if its hash isn't the recorded one.
 */
export function changesBehind(
  { slices, expected }: StateDifference,
  recorded: State,
  got: State,
  program: AnyProgram,
): PathChange[] {
  return slices.flatMap((name) => {
    const isRecorded = sliceHash(shapeOf(program, name), recorded[name]) === expected[name];
    const changes = isRecorded ? pathChanges({ [name]: recorded[name] }, { [name]: got[name] }) : [];
    return changes.length > 0 ? changes : [{ path: name }];
  });
}
