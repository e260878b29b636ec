import { resolve } from "node:path";
import type { AnyProgram } from "../../src/eventlog/folding";
import { type Log, parseLog } from "../../src/eventlog/parse";
import type { PathChange } from "../../src/eventlog/pathChanges";
import { earlierBuild, earlierScreens } from "../earlierBuild";
import { readText } from "../readText";
import { itemChanges } from "./itemChanges";
import { type Moment, openScreens, type Screens } from "./openScreens";
import { createPressComparison, type PressComparison } from "./presses";
import { createScreenMemo, type ScreenMemo } from "./screenMemo";
import { screenOf, visitPoints } from "./screenPoints";

/** A file's presses and checkpoints to render with two builds. */
export interface ScreensJob {
  readonly file: string;
  readonly folder: string;
  /** The bundle of this build's screens. */
  readonly today: string;
  /** The numbers of their lines. */
  readonly lines: readonly number[];
}

export interface ScreenDifference {
  readonly line: number;
  readonly changes: readonly PathChange[];
}

/** The lines whose screens differ, or the reason why the screens can't be compared. */
export type ScreensResult =
  | { readonly differences: readonly ScreenDifference[]; readonly rendered: number; readonly pressed: number }
  | { readonly unknown: string };

/** One build's program and the bundle of its screens. */
export interface BuildUnderTest {
  readonly program: AnyProgram;
  readonly bundle: string;
}

/** Renders lines of a file with the screens of the build that recorded it and with this build's. */
export async function renderScreens(program: AnyProgram, job: ScreensJob): Promise<ScreensResult> {
  try {
    const log = parseLog(await readText(resolve(job.folder, job.file)));
    const earlier = await earlierBuild(log.header.build);
    const screens = await earlierScreens(log.header.build);
    if ("unknown" in screens) return screens;
    if (!earlier || "unknown" in earlier) return { unknown: earlier?.unknown ?? "this build recorded it" };
    const was = { program: earlier.program, bundle: screens.file };
    return await differencesOf(was, { program, bundle: job.today }, log, job.lines);
  } catch (error) {
    return { unknown: `the screens could not be rendered: ${(error as Error).stack ?? String(error)}` };
  }
}

/** The screens of two builds, each in a window of its own: both render the same states in the same order. */
interface Pair {
  readonly was: Screens;
  readonly is: Screens;
  readonly presses: PressComparison;
  readonly memo: ScreenMemo<readonly PathChange[]>;
}

const pairs = new Map<string, Pair>();

function pairOf(was: string, is: string): Pair {
  const key = [was, is].join("\n");
  const opened = pairs.get(key);
  if (opened) return opened;
  const [before, today] = [openScreens(was), openScreens(is)];
  const presses = createPressComparison(before, today);
  const pair = { was: before, is: today, presses, memo: createScreenMemo<readonly PathChange[]>() };
  pairs.set(key, pair);
  return pair;
}

/** The differences between what two builds' screens say at lines of a log. */
export async function differencesOf(
  was: BuildUnderTest,
  is: BuildUnderTest,
  log: Log,
  lines: readonly number[],
): Promise<Extract<ScreensResult, { readonly rendered: number }>> {
  const { locale } = log.header;
  const pair = pairOf(was.bundle, is.bundle);
  const wanted = new Set(lines);
  const differences: ScreenDifference[] = [];
  let rendered = 0;
  let pressed = 0;
  for (const { line, at, type, states } of visitPoints([was.program, is.program], log, Math.max(...lines) + 1)) {
    if (!wanted.has(line)) continue;
    const both = states();
    const context = `${locale} ${type}`;
    let changes = pair.memo.find(context, both);
    if (!changes) {
      const moments = both.map((state) => ({ state, at, locale })) as [Moment, Moment];
      const before = await pair.was.render(moments[0]);
      const today = await pair.is.render(moments[1]);
      const ofPress = type === null ? undefined : await pair.presses.compare(type, screenOf(both[1]), moments);
      changes = [...itemChanges(before.items, today.items), ...(ofPress ?? [])];
      pair.memo.add(context, both, [before.slices, today.slices], changes);
      if (ofPress) pressed += 1;
      rendered += 1;
    }
    if (changes.length > 0) differences.push({ line, changes });
  }
  return { differences, rendered, pressed };
}
