import { namedBy } from "./accepted";
import { methodOf } from "./calls";
import type { Divergence } from "./divergence";
import { generalPath } from "./pathChanges";
import { changeText, hasValues, type Summary, TITLES } from "./report";

/** A difference without what is specific to a session. */
export interface Cause {
  /** The kind of difference, for people. */
  readonly title: string;
  /** The actions, or the methods of the calls. */
  readonly what: readonly string[];
  /** The general paths of the values that differ, or the slices if no values are known. */
  readonly paths: readonly string[];
  /** The source lines of the action's `put`, in the recording build and in this one. */
  readonly puts: readonly string[];
  /** The addresses of the screens that differ. */
  readonly screens?: readonly string[] | undefined;
  /** The source line of a recorded `put` that this build doesn't reach, or reaches otherwise. */
  readonly displaced?: string | undefined;
}

/** Sessions that differ by one cause. */
export interface CauseGroup extends Cause {
  readonly count: number;
  /** The first session, with its line and its difference. */
  readonly example: string;
}

const EXTRA_CALL = "the sagas made a call that the log does not have";

/** The first of a session's divergences. At one line, two builds' states say more than a hash. */
function firstDivergence({ replayed: { reducers, builds, sagas, screens } }: Summary): Divergence | undefined {
  const [compared, rendered] = [builds, screens].map((one) => (typeof one === "string" ? undefined : one?.divergence));
  const found = [compared, reducers?.divergence, sagas?.divergence, rendered].flatMap((one) => one ?? []);
  return found.toSorted((one, other) => one.line - other.line)[0];
}

/** A call that is open on one side only. */
function unequalCalls({ expected, got }: Divergence): Pick<Cause, "title" | "what"> | undefined {
  const [before = [], today = []] = [expected, got].map((side) => (side as { open?: readonly string[] } | null)?.open);
  const missing = before.find((call) => !today.includes(call));
  if (missing !== undefined) return { title: TITLES["unasked-answer"], what: [methodOf(missing)] };
  const extra = today.find((call) => !before.includes(call));
  return extra === undefined ? undefined : { title: EXTRA_CALL, what: [methodOf(extra)] };
}

function causeOf(divergence: Divergence): Cause {
  const { why, expected, got, slices, changes, fault, after, put, screens } = divergence;
  const general = changes.map(({ path }) => generalPath(path));
  const paths = [...new Set(general.length > 0 ? general : slices)];
  const puts = [put?.was, put?.is].flatMap((one) => one ?? []);
  const calls = why === "state" && slices.length === 0 ? unequalCalls(divergence) : undefined;
  if (calls) return { ...calls, paths, puts };
  if (screens) return { title: TITLES[why], what: [], paths, puts, screens };
  if (after !== undefined) return { title: "the states of the two builds differ", what: [after], paths, puts };
  const name =
    fault?.type ?? (why === "crash" ? String(got) : namedBy(why === "extra-action" ? got : (expected ?? got)));
  return { title: TITLES[fault?.why ?? why], what: name === null ? [] : [name], paths, puts, displaced: put?.was };
}

const ofFile = (title: string, ...what: readonly string[]): Cause => ({ title, what, paths: [], puts: [] });

/** The cause of a session's difference and one line about it; undefined if it replayed as recorded. */
function differenceOf(summary: Summary): readonly [Cause, example: string] | undefined {
  const { file, status, kind, reason, line } = summary;
  const at = line === null ? file : `${file}:${line}`;
  if (status === 2) return [ofFile("unreadable", reason ?? ""), at];
  if (status !== 1) return undefined;
  if (kind === "tampered") return [ofFile("the log was edited"), at];
  const divergence = firstDivergence(summary);
  if (!divergence) return undefined;
  const change = divergence.changes.find(hasValues);
  return [causeOf(divergence), change ? `${at}: ${changeText(change)}` : at];
}

const isShared = (one: readonly string[], other: readonly string[]): boolean =>
  one.some((item) => other.includes(item));
const union = (one: readonly string[], other: readonly string[]): string[] => [...new Set([...one, ...other])];

/** Whether two differences come from one fault, which changes other values and actions in another session. */
function isSameFault(one: Cause, other: Cause): boolean {
  if (one.displaced !== undefined && one.displaced === other.displaced) return true;
  if (one.title !== other.title || (one.what.length > 0 && !isShared(one.what, other.what))) return false;
  const isUnspecific = one.paths.length === 0 && other.paths.length === 0;
  return isUnspecific || isShared(one.paths, other.paths) || isShared(one.puts, other.puts);
}

/** The differences of sessions by their cause, most frequent first. */
export function groupByCause(summaries: readonly Summary[]): CauseGroup[] {
  let groups: CauseGroup[] = [];
  for (const summary of summaries) {
    const difference = differenceOf(summary);
    if (!difference) continue;
    const [cause, example] = difference;
    // A session may show that two groups are one.
    const same = groups.filter((group) => isSameFault(group, cause));
    const merged = [...same, { ...cause, count: 1, example }].reduce((one, other) => ({
      ...one,
      what: union(one.what, other.what),
      paths: union(one.paths, other.paths),
      puts: union(one.puts, other.puts),
      screens: one.screens && union(one.screens, other.screens ?? []),
      count: one.count + other.count,
    }));
    groups = [...groups.filter((group) => !same.includes(group)), merged];
  }
  return groups.toSorted((one, other) => other.count - one.count);
}
