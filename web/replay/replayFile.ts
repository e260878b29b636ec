import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { DAMAGED, isPacked, LONGEST_FILE, TOO_LONG } from "../src/eventlog/file";
import type { AnyProgram } from "../src/eventlog/folding";
import { type Outcome, type ReplayOptions, replayText, type Unreadable } from "../src/eventlog/replay";
import { report, type Summary, summary } from "../src/eventlog/report";

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

/** The text of a file; that of a compressed one unpacked. Throws where it is damaged, or longer than any recording. */
async function readText(path: string): Promise<string> {
  const chunks: Buffer[] = [];
  // A device has no end: one byte more than may be is read, and no other.
  for await (const chunk of createReadStream(path, { end: LONGEST_FILE })) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  if (bytes.length > LONGEST_FILE) throw new Error(TOO_LONG);
  return (isPacked(bytes) ? unpacked(bytes) : bytes).toString("utf8");
}

function unpacked(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: LONGEST_FILE });
  } catch (error) {
    throw new Error((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE" ? TOO_LONG : DAMAGED);
  }
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
