import type { Divergence, Reason } from "./divergence";
import type { AnyProgram } from "./folding";
import type { Log } from "./parse";
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
  /** The slices that differ from there on. */
  readonly slices: readonly string[];
}

/** The first difference of a session, without what is specific to the session. */
type Difference = Pick<Accepted, "why" | "what">;

const NOT_ACCEPTABLE: readonly Reason[] = ["order", "crash"];

const methodOf = (call: string): string => call.slice(0, call.indexOf(":"));

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

const slicesOf = (differences: readonly Divergence[]): string[] => [
  ...new Set(differences.flatMap(({ slices }) => slices)),
];

const isWithin = (slices: readonly string[], accepted: readonly string[]): boolean =>
  slices.every((slice) => accepted.includes(slice));

/** The accepted difference that this divergence is. */
function acceptedAs(divergence: Divergence, accepted: readonly Accepted[]): Accepted | undefined {
  const difference = differenceOf(divergence);
  return accepted.find(
    ({ why, what, slices }) =>
      why === difference?.why && what === difference.what && (why !== "state" || isWithin(divergence.slices, slices)),
  );
}

/** The warning about a divergence that is accepted; undefined if it isn't. */
export function acceptance(divergence: Divergence, accepted: readonly Accepted[]): string | undefined {
  const entry = acceptedAs(divergence, accepted);
  return entry && `line ${divergence.line}: accepted since ${entry.build}: ${entry.cause}`;
}

/**
 * The result of a saga replay that may stop at an accepted difference. The rest of the session runs on its inputs and
 * answers: slices that the cause doesn't change must still be as recorded.
 */
export function behindAccepted(
  program: AnyProgram,
  log: Log,
  sagas: SagasReplayed,
  accepted: readonly Accepted[],
): SagasReplayed {
  const { divergence, ...rest } = sagas;
  const entry = divergence && acceptedAs(divergence, accepted);
  const warning = divergence && acceptance(divergence, accepted);
  if (!entry || warning === undefined) return sagas;
  const slices = accepted.flatMap((one) => (one.cause === entry.cause ? one.slices : []));
  const other = differencesBehind(program, log, divergence.line).find(
    (found) => found.why !== "state" || !isWithin(found.slices, slices),
  );
  const warnings = [...rest.warnings, warning];
  return other ? { ...rest, warnings, divergence: other } : { ...rest, warnings, same: true };
}

/**
 * The differences between a log and this build, all of one cause. Throws if one can't be intended: a line that was
 * edited, or a turn that throws.
 */
export function intendedIn(program: AnyProgram, log: Log, cause: string, build: string): Accepted[] {
  const ofReducers: Divergence[] = [];
  const reducers = replayReducers(program, log, (divergence) => {
    ofReducers.push(divergence);
    return cause;
  });
  if (reducers.divergence) throw refusal(reducers.divergence);
  const [first] = ofReducers;
  const entries = first ? [{ cause, build, ...described(first), slices: slicesOf(ofReducers) }] : [];
  const divergence = blockerOf(log) === undefined ? replaySagas(program, log).divergence : undefined;
  if (!divergence) return entries;
  const difference = described(divergence);
  const behind = differencesBehind(program, log, divergence.line);
  const crash = behind.find(({ why }) => why === "crash");
  if (crash) throw refusal(crash);
  return [...entries, { cause, build, ...difference, slices: slicesOf([divergence, ...behind]) }];
}

function described(divergence: Divergence): Difference {
  const difference = differenceOf(divergence);
  if (!difference) throw refusal(divergence);
  return difference;
}

const refusal = ({ line, why, got }: Divergence): Error =>
  new Error(`line ${line}: ${why === "crash" ? `a turn threw ${String(got)}` : "the log was edited"}`);

/** The list with more entries; those of one cause and difference are one. */
export function withAccepted(accepted: readonly Accepted[], added: readonly Accepted[]): Accepted[] {
  const next = [...accepted];
  for (const entry of added) {
    const index = next.findIndex(
      ({ cause, why, what }) => cause === entry.cause && why === entry.why && what === entry.what,
    );
    const older = next[index];
    if (older) next[index] = { ...older, slices: [...new Set([...older.slices, ...entry.slices])].toSorted() };
    else next.push({ ...entry, slices: entry.slices.toSorted() });
  }
  return next;
}
