import { resolve } from "node:path";
import type { Accepted } from "../src/eventlog/accepted";
import type { AnyProgram } from "../src/eventlog/folding";
import { type Outcome, readLog, replayLog, type Unreadable } from "../src/eventlog/replay";
import { report, type Summary, summary } from "../src/eventlog/report";
import { isSince } from "./buildName";
import { earlierBuild } from "./earlierBuild";
import { readText } from "./readText";
import { type ScreenPoint, screenPoints } from "./screens/screenPoints";

export interface FileJob {
  /** Skips the sagas. */
  readonly reducersOnly?: boolean;
  /** Compares with the recording build, state by state. */
  readonly withEarlier?: boolean;
  /** Also finds the presses and checkpoints whose screens can be compared with the recording build's. */
  readonly withScreens?: boolean;
  /** The intended differences from logs of earlier builds. */
  readonly accepted?: readonly Accepted[];
  /** The path as the caller typed it. */
  readonly file: string;
  /** The caller's folder. */
  readonly folder: string;
  /** The build that replays. */
  readonly build: string;
}

/** One file's result. Plain data, since it may come from another process. */
export interface FileResult {
  /** For people. */
  readonly text: string;
  /** For programs. */
  readonly summary: Summary;
  /** The presses and checkpoints whose screens can be compared; a text gives the reason for not comparing them. */
  readonly points?: readonly ScreenPoint[] | string;
}

/** Replays one file. A failure is a result too, so that the other files are replayed all the same. */
export async function replayFile(program: AnyProgram, job: FileJob): Promise<FileResult> {
  const outcome = await outcomeOf(program, job);
  try {
    const result = resultOf(job, outcome);
    return job.withScreens && outcome.status !== 2 ? { ...result, points: await pointsOf(program, outcome) } : result;
  } catch (error) {
    return unreadableResult(job, `the replay could not be reported: ${String(error)}`);
  }
}

/** Behind the first state that differs, screens differ too: these aren't compared. */
async function pointsOf(program: AnyProgram, { log, builds }: Outcome): Promise<readonly ScreenPoint[] | string> {
  const earlier = await earlierBuild(log.header.build);
  if (!earlier) return "this build recorded it";
  if ("unknown" in earlier) return earlier.unknown;
  if (builds === null || typeof builds === "string") return builds ?? "the builds were not compared";
  return screenPoints([earlier.program, program], log, builds.divergence?.line ?? Infinity);
}

/** The result of a file that couldn't be replayed at all. */
export const unreadableResult = (job: FileJob, reason: string): FileResult => resultOf(job, unreadable(reason));

const resultOf = ({ file, build }: FileJob, outcome: Outcome | Unreadable): FileResult => ({
  text: report(file, outcome, build),
  summary: summary(file, outcome),
});

const unreadable = (reason: string): Unreadable => ({ status: 2, unreadable: reason, line: null });

async function outcomeOf(
  program: AnyProgram,
  { file, folder, reducersOnly = false, withEarlier = false, accepted = [] }: FileJob,
): Promise<Outcome | Unreadable> {
  let text: string;
  try {
    text = await readText(resolve(folder, file));
  } catch (error) {
    return unreadable((error as Error).message);
  }
  try {
    const log = readLog(text);
    if ("status" in log) return log;
    const earlier = withEarlier ? await earlierBuild(log.header.build) : undefined;
    return replayLog(program, log, {
      reducersOnly,
      ...(earlier ? { earlier } : {}),
      accepted: (build) => accepted.filter((entry) => !isSince(build, entry.build)),
    });
  } catch (error) {
    // A defect of the replayer, or an invalid log that passed its checks: the stack helps to find it.
    return unreadable(`the replayer crashed: ${(error as Error).stack ?? String(error)}`);
  }
}
