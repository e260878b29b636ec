import { methodOf } from "./calls";
import { compareFolds } from "./compareFolds";
import type { Divergence, Reason } from "./divergence";
import type { AnyProgram } from "./folding";
import type { Log } from "./parse";
import { generalPath, isInside } from "./pathChanges";
import { replayReducers } from "./replay-reducers";
import { blockerOf, replaySagas, type SagasReplayed } from "./replay-sagas";
import { differencesBehind } from "./rerun";

/** An intended difference of this build from the logs of earlier ones. */
export interface Accepted {
  readonly cause: string;
  /** The build that brought it. */
  readonly build: string;
  /** The first difference. */
  readonly why: Reason;
  /** The type of the action, or the method of the call, that differs; null for a state. */
  readonly what: string | null;
  /** The general paths of the values that differ from there on; a slice if its recorded values are unknown. */
  readonly paths: readonly string[];
}

/** The first difference of a session, without what is specific to the session. */
type Difference = Pick<Accepted, "why" | "what">;

const NOT_ACCEPTABLE: readonly Reason[] = ["order", "crash"];

/** The type of an action or the method of a call. */
export function namedBy(value: unknown): string | null {
  const { type, call } = (value ?? {}) as { readonly type?: unknown; readonly call?: unknown };
  if (typeof type === "string") return type;
  return typeof call === "string" ? methodOf(call) : null;
}

/** The method of the first call that only one of two lists has. */
function unequalCall(expected: unknown, got: unknown): string | null {
  const [one, other] = [expected, got].map((side) => (side as { readonly open?: readonly string[] })?.open ?? []);
  const call = [...(one ?? []), ...(other ?? [])].find((name) => !(one?.includes(name) && other?.includes(name)));
  return call === undefined ? null : methodOf(call);
}

/** Describes a divergence by what other sessions have in common with it; undefined if it can't be intended. */
function differenceOf({ why, expected, got, slices }: Divergence): Difference | undefined {
  if (NOT_ACCEPTABLE.includes(why)) return undefined;
  if (why === "state") return { why, what: slices.length > 0 ? null : unequalCall(expected, got) };
  const isOfLog = why === "missing-action" || why === "different-action" || why === "unasked-answer";
  return { why, what: namedBy(isOfLog ? expected : got) };
}

/** The general paths of the values that differ. */
const pathsOf = (differences: readonly Divergence[]): string[] => [...new Set(differences.flatMap(changedPaths))];

const changedPaths = ({ changes, slices }: Divergence): readonly string[] =>
  changes.length > 0 ? changes.map(({ path }) => generalPath(path)) : slices;

const isWithin = (divergence: Divergence, accepted: readonly string[]): boolean =>
  changedPaths(divergence).every((path) => accepted.some((outer) => isInside(path, outer)));

/** The accepted difference that this divergence is. */
function acceptedAs(divergence: Divergence, accepted: readonly Accepted[]): Accepted | undefined {
  const difference = differenceOf(divergence);
  return accepted.find(
    ({ why, what, paths }) => why === difference?.why && what === difference.what && isWithin(divergence, paths),
  );
}

/** The warning about a divergence that is accepted; undefined if it isn't. */
export function acceptance(divergence: Divergence, accepted: readonly Accepted[]): string | undefined {
  const entry = acceptedAs(divergence, accepted);
  return entry && `line ${divergence.line}: accepted since ${entry.build}: ${entry.cause}`;
}

/**
 * The result of a saga replay that may stop at an accepted difference. The rest of the session runs on its inputs and
 * answers: values that the cause doesn't change must still be as recorded.
 */
export function behindAccepted(
  program: AnyProgram,
  log: Log,
  sagas: SagasReplayed,
  accepted: readonly Accepted[],
  earlier?: AnyProgram,
): SagasReplayed {
  const { divergence, ...rest } = sagas;
  const entry = divergence && acceptedAs(divergence, accepted);
  const warning = divergence && acceptance(divergence, accepted);
  if (!entry || warning === undefined) return sagas;
  const paths = accepted.flatMap((one) => (one.cause === entry.cause ? one.paths : []));
  const other = differencesBehind(program, log, divergence.line, earlier).find(
    (found) => found.why !== "state" || !isWithin(found, paths),
  );
  const warnings = [...rest.warnings, warning];
  return other ? { ...rest, warnings, divergence: other } : { ...rest, warnings, same: true };
}

/**
 * The differences between a log and this build, all of one cause. Throws if one can't be intended: a line that was
 * edited, or a turn that throws.
 */
export function intendedIn(
  program: AnyProgram,
  log: Log,
  cause: string,
  build: string,
  earlier?: AnyProgram,
): Accepted[] {
  const ofReducers: Divergence[] = [];
  const collect = (divergence: Divergence): string => {
    ofReducers.push(divergence);
    return cause;
  };
  const reducers = replayReducers(program, log, collect, earlier);
  if (reducers.divergence) throw refusal(reducers.divergence);
  if (earlier) compareFolds({ program: earlier }, program, log, collect);
  const [first] = ofReducers;
  const entries = first ? [{ cause, build, ...described(first), paths: pathsOf(ofReducers) }] : [];
  const divergence = blockerOf(log) === undefined ? replaySagas(program, log, { earlier }).divergence : undefined;
  if (!divergence) return entries;
  const difference = described(divergence);
  const behind = differencesBehind(program, log, divergence.line, earlier);
  const crash = behind.find(({ why }) => why === "crash");
  if (crash) throw refusal(crash);
  return [...entries, { cause, build, ...difference, paths: pathsOf([divergence, ...behind]) }];
}

function described(divergence: Divergence): Difference {
  const difference = differenceOf(divergence);
  if (!difference) throw refusal(divergence);
  return difference;
}

const refusal = ({ line, why, got }: Divergence): Error =>
  new Error(`line ${line}: ${why === "crash" ? `a turn threw ${String(got)}` : "the log was edited"}`);

/** The entries of a file, one JSON object per line. */
export const acceptedIn = (text: string): Accepted[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Accepted);

/** The list with more entries; those of one cause and difference are one. */
export function withAccepted(accepted: readonly Accepted[], added: readonly Accepted[]): Accepted[] {
  const next = [...accepted];
  for (const entry of added) {
    const index = next.findIndex(
      ({ cause, why, what }) => cause === entry.cause && why === entry.why && what === entry.what,
    );
    const older = next[index];
    if (older) next[index] = { ...older, paths: [...new Set([...older.paths, ...entry.paths])].toSorted() };
    else next.push({ ...entry, paths: entry.paths.toSorted() });
  }
  return next;
}
