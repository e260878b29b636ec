import { join } from "node:path";
import { type CauseGroup, groupByCause } from "../src/eventlog/causes";
import { escaped, type Summary } from "../src/eventlog/report";
import type { Pool } from "./pool";
import type { FileJob } from "./replayFile";
import { compareScreens } from "./screens/compareScreens";

export interface SessionsOptions {
  /** The folder, as the caller typed it. */
  readonly from: string;
  /** The build that replays. */
  readonly build: string;
  readonly pool: Pool;
  readonly job: Omit<FileJob, "file">;
  /** The bundle of this build's screens, to compare them with those of the recording builds. */
  readonly screens?: string;
  print(text: string): void;
  progress(text: string): void;
}

/** Number of progress reports. */
const PROGRESS_STEPS = 20;
/** Maximum number of values in a group's text. */
const MAX_PATHS = 8;

const counted = (count: number): string => (count === 1 ? "1 session" : `${count} sessions`);

function groupText({ title, what, paths, puts, screens = [], count, example }: CauseGroup): string {
  const rest = paths.length > MAX_PATHS ? `, and ${paths.length - MAX_PATHS} more` : "";
  const lines = [
    `${counted(count)}: ${title}${what.length === 0 ? "" : `: ${what.join(", ")}`}`,
    ...(screens.length === 0 ? [] : [`  screens: ${screens.join(", ")}`]),
    ...(paths.length === 0 ? [] : [`  values: ${paths.slice(0, MAX_PATHS).join(", ")}${rest}`]),
    ...(puts.length === 0 ? [] : [`  put at ${puts.join(", ")}`]),
    `  first: ${example}`,
  ];
  return lines.map(escaped).join("\n");
}

/** Replays sessions, several at once, and prints each cause of differences once; returns the exit status. */
export async function replaySessions(files: readonly string[], options: SessionsOptions): Promise<0 | 1 | 2> {
  const { from, build, pool, job, screens, print, progress } = options;
  const started = performance.now();
  const step = Math.max(1, Math.ceil(files.length / PROGRESS_STEPS));
  let done = 0;
  let summaries: Summary[];
  let rendered: string | undefined;
  let seconds: string;
  try {
    const results = await Promise.all(
      files.map(async (file) => {
        const result = await pool.replay({ ...job, file, withScreens: screens !== undefined });
        done += 1;
        if (done % step === 0 || done === files.length) progress(`${done} of ${files.length}`);
        return { file, ...result };
      }),
    );
    seconds = ((performance.now() - started) / 1000).toFixed(0);
    const compared =
      screens === undefined ? undefined : await compareScreens(results, { ...job, pool, today: screens, progress });
    rendered = compared?.text;
    summaries = (compared?.summaries ?? results.map(({ summary }) => summary)).map((summary) => ({
      ...summary,
      file: join(from, summary.file),
    }));
  } finally {
    pool.end();
  }
  const count = (verdict: string): number => summaries.filter((one) => one.verdict === verdict).length;
  const [differing, unreadable] = [count("differs"), count("unreadable")];
  print(
    `${counted(files.length)} replayed by ${build} in ${seconds} s: ${count("same")} same, ${differing} differ, ` +
      `${count("partial")} partial, ${unreadable} unreadable`,
  );
  if (rendered !== undefined) print(rendered);
  for (const group of groupByCause(summaries)) print(`\n${groupText(group)}`);
  return differing > 0 ? 1 : unreadable > 0 ? 2 : 0;
}
