import { join } from "node:path";
import { type CauseGroup, groupByCause } from "../src/eventlog/causes";
import { escaped, type Summary } from "../src/eventlog/report";
import type { Replayer } from "./pool";
import type { FileJob } from "./replayFile";

export interface SessionsOptions {
  /** The folder, as the caller typed it. */
  readonly from: string;
  /** The build that replays. */
  readonly build: string;
  readonly replayer: Replayer;
  readonly job: Omit<FileJob, "file">;
  print(text: string): void;
  progress(text: string): void;
}

/** Number of progress reports. */
const PROGRESS_STEPS = 20;
/** Maximum number of values in a group's text. */
const MAX_PATHS = 8;

const counted = (count: number): string => (count === 1 ? "1 session" : `${count} sessions`);

function groupText({ title, what, paths, puts, count, example }: CauseGroup): string {
  const rest = paths.length > MAX_PATHS ? `, and ${paths.length - MAX_PATHS} more` : "";
  const lines = [
    `${counted(count)}: ${title}${what.length === 0 ? "" : `: ${what.join(", ")}`}`,
    ...(paths.length === 0 ? [] : [`  values: ${paths.slice(0, MAX_PATHS).join(", ")}${rest}`]),
    ...(puts.length === 0 ? [] : [`  put at ${puts.join(", ")}`]),
    `  first: ${example}`,
  ];
  return lines.map(escaped).join("\n");
}

/** Replays sessions, several at once, and prints each cause of differences once; returns the exit status. */
export async function replaySessions(files: readonly string[], options: SessionsOptions): Promise<0 | 1 | 2> {
  const { from, build, replayer, job, print, progress } = options;
  const started = performance.now();
  const step = Math.max(1, Math.ceil(files.length / PROGRESS_STEPS));
  let done = 0;
  let summaries: Summary[];
  try {
    summaries = await Promise.all(
      files.map(async (file) => {
        const { summary } = await replayer.replay({ ...job, file });
        done += 1;
        if (done % step === 0 || done === files.length) progress(`${done} of ${files.length}`);
        return { ...summary, file: join(from, file) };
      }),
    );
  } finally {
    replayer.end();
  }
  const count = (verdict: string): number => summaries.filter((one) => one.verdict === verdict).length;
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  const [differing, unreadable] = [count("differs"), count("unreadable")];
  print(
    `${counted(files.length)} replayed by ${build} in ${seconds} s: ${count("same")} same, ${differing} differ, ` +
      `${count("partial")} partial, ${unreadable} unreadable`,
  );
  for (const group of groupByCause(summaries)) print(`\n${groupText(group)}`);
  return differing > 0 ? 1 : unreadable > 0 ? 2 : 0;
}
