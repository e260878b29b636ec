import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import type { AnyProgram } from "../src/eventlog/folding";
import { type Outcome, type ReplayOptions, replayText, type Unreadable } from "../src/eventlog/replay";
import { report, type Summary, summary } from "../src/eventlog/report";

/** The most bytes that a compressed file unpacks to: more than the worker takes of a report. */
const MOST_BYTES = 64 * 1024 * 1024;

/** What to replay, and how. */
export interface FileJob extends ReplayOptions {
  /** The path as the caller typed it. */
  readonly file: string;
  /** Where they typed it. */
  readonly folder: string;
  /** The build that replays. */
  readonly build: string;
}

/** What became of one file. It is plain data: it may come from another process. */
export interface FileResult {
  /** For a person. */
  readonly text: string;
  /** For a program. */
  readonly summary: Summary;
}

/** Replays one file. Whatever goes wrong with it is a result too: the other files are replayed all the same. */
export async function replayFile(program: AnyProgram, job: FileJob): Promise<FileResult> {
  const outcome = await outcomeOf(program, job);
  try {
    return resultOf(job, outcome);
  } catch (error) {
    return unreadableResult(job, `the replay could not be told of: ${String(error)}`);
  }
}

/** The result of a file of which nothing could be replayed. */
export const unreadableResult = (job: FileJob, reason: string): FileResult => resultOf(job, unreadable(reason));

const resultOf = ({ file, build }: FileJob, outcome: Outcome | Unreadable): FileResult => ({
  text: report(file, outcome, build),
  summary: summary(file, outcome),
});

const unreadable = (reason: string): Unreadable => ({ status: 2, unreadable: reason, line: null });

/** The worker stores a report's log compressed. */
async function readText(path: string): Promise<string> {
  const bytes = await readFile(path);
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return (isGzip ? gunzipSync(bytes, { maxOutputLength: MOST_BYTES }) : bytes).toString("utf8");
}

async function outcomeOf(program: AnyProgram, { file, folder, reducersOnly }: FileJob): Promise<Outcome | Unreadable> {
  let text: string;
  try {
    text = await readText(resolve(folder, file));
  } catch (error) {
    return unreadable((error as Error).message);
  }
  try {
    return replayText(program, text, { reducersOnly: reducersOnly ?? false });
  } catch (error) {
    // The replayer's own defect, or a log that its checks let pass: the stack leads there.
    return unreadable(`the replayer crashed: ${(error as Error).stack ?? String(error)}`);
  }
}
