import { type Accepted, acceptance } from "../../src/eventlog/accepted";
import type { Divergence } from "../../src/eventlog/divergence";
import { generalPath, type PathChange } from "../../src/eventlog/pathChanges";
import type { ScreensCompared, Summary } from "../../src/eventlog/report";
import { isSince } from "../buildName";
import type { Pool } from "../pool";
import type { FileJob, FileResult } from "../replayFile";
import type { ScreenPoint } from "./screenPoints";

export interface CompareOptions extends Pick<FileJob, "folder" | "accepted"> {
  readonly pool: Pick<Pool, "render">;
  /** The bundle of this build's screens. */
  readonly today: string;
  progress(text: string): void;
}

type Replayed = FileResult & { readonly file: string };

const pointsOf = ({ points }: Replayed): readonly ScreenPoint[] =>
  points === undefined || typeof points === "string" ? [] : points;

/** The points to render: the first of each distinct screen, by file. */
function distinctPoints(results: readonly Replayed[]): Map<string, ScreenPoint[]> {
  const keys = new Set<string>();
  const files = new Map<string, ScreenPoint[]>();
  for (const result of results)
    for (const point of pointsOf(result)) {
      if (keys.has(point.key)) continue;
      keys.add(point.key);
      files.set(result.file, [...(files.get(result.file) ?? []), point]);
    }
  return files;
}

/** Compares the screens of all sessions with those of their recording builds. Each distinct state is rendered once. */
export async function compareScreens(
  results: readonly Replayed[],
  { pool, folder, today, accepted = [], progress }: CompareOptions,
): Promise<{ readonly summaries: readonly Summary[]; readonly text: string }> {
  const started = performance.now();
  const files = distinctPoints(results);
  const changed = new Map<string, readonly PathChange[]>();
  const unknown = new Map<string, string>();
  let [rendered, pressed, done] = [0, 0, 0];
  await Promise.all(
    [...files].map(async ([file, points]) => {
      const result = await pool.render({ file, folder, today, lines: points.map(({ line }) => line) });
      done += 1;
      progress(`screens: ${done} of ${files.size}`);
      if ("unknown" in result) {
        for (const { key } of points) unknown.set(key, result.unknown);
        return;
      }
      rendered += result.rendered;
      pressed += result.pressed;
      const byLine = new Map(result.differences.map(({ line, changes }) => [line, changes]));
      for (const { line, key } of points) changed.set(key, byLine.get(line) ?? []);
    }),
  );

  function comparedOf(result: Replayed): ScreensCompared | string {
    if (typeof result.points === "string") return result.points;
    const points = pointsOf(result);
    const reason = points.map(({ key }) => unknown.get(key)).find((text) => text !== undefined);
    if (reason !== undefined) return reason;
    const build = result.summary.log?.build ?? "";
    const intended = accepted.filter((entry) => !isSince(build, entry.build));
    return differenceOf(points, changed, intended);
  }

  const summaries = results.map((result) => withScreens(result.summary, comparedOf(result)));
  const all = results.reduce((sum, result) => sum + pointsOf(result).length, 0);
  const distinct = [...files.values()].reduce((sum, points) => sum + points.length, 0);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  const text =
    `screens: ${all} presses and checkpoints, ${distinct} distinct states, ${rendered} rendered by both builds and ` +
    `${pressed} presses repeated in ${seconds} s`;
  const reasons = new Set(
    summaries.flatMap(({ replayed: { screens } }) => (typeof screens === "string" ? [screens] : [])),
  );
  return { summaries, text: [text, ...[...reasons].map((reason) => `  not compared: ${reason}`)].join("\n") };
}

/** The first difference of a session's screens that isn't accepted, with the changes of all of them. */
function differenceOf(
  points: readonly ScreenPoint[],
  changed: ReadonlyMap<string, readonly PathChange[]>,
  accepted: readonly Accepted[],
): ScreensCompared {
  const warnings = new Set<string>();
  const changes = new Map<string, PathChange>();
  const screens = new Set<string>();
  let first: number | undefined;
  for (const { line, key, screen } of points)
    for (const change of changed.get(key) ?? []) {
      const warning = acceptance(screenDivergence(line, [change], [screen]), accepted);
      if (warning !== undefined) {
        warnings.add(warning);
        continue;
      }
      first ??= line;
      screens.add(screen);
      const path = generalPath(change.path);
      if (!changes.has(path)) changes.set(path, change);
    }
  return {
    warnings: [...warnings],
    ...(first === undefined ? {} : { divergence: screenDivergence(first, [...changes.values()], [...screens]) }),
  };
}

const screenDivergence = (line: number, changes: readonly PathChange[], screens: readonly string[]): Divergence => ({
  why: "screen",
  line,
  expected: null,
  got: null,
  open: [],
  before: [],
  slices: [],
  changes,
  screens,
});

/** A summary with the comparison of the screens, which may be the only difference. */
function withScreens(summary: Summary, screens: ScreensCompared | string): Summary {
  const replayed = { ...summary.replayed, screens };
  if (typeof screens === "string" || !screens.divergence || summary.status === 2) return { ...summary, replayed };
  const { line } = screens.divergence;
  return {
    ...summary,
    status: 1,
    verdict: "differs",
    kind: summary.kind ?? "diverged",
    line: Math.min(line, summary.status === 1 ? (summary.line ?? line) : line),
    replayed,
  };
}
