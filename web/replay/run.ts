import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { AnyProgram } from "../src/eventlog/folding";
import { type Outcome, type ReplayOptions, replayText, type Status } from "../src/eventlog/replay";
import { report } from "../src/eventlog/report";

/** What the command line stands in. */
export interface Surroundings {
  /** Where the caller typed the paths. */
  readonly folder: string;
  /** The build that replays. */
  readonly build: string;
  out(text: string): void;
  error(text: string): void;
}

const USAGE = "usage: npm --prefix web run replay -- [--reducers-only] FILE…";

/** Replays the logs named on the command line; the answer is the worst of their statuses. */
export async function run(program: AnyProgram, args: readonly string[], around: Surroundings): Promise<Status> {
  let files: string[];
  let options: ReplayOptions;
  try {
    const parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { "reducers-only": { type: "boolean", default: false } },
    });
    files = parsed.positionals;
    options = { reducersOnly: parsed.values["reducers-only"] };
  } catch (error) {
    around.error(`${(error as Error).message}\n${USAGE}`);
    return 2;
  }
  if (files.length === 0) {
    around.error(USAGE);
    return 2;
  }

  let worst: Status = 0;
  for (const file of files) {
    const outcome = await replayFile(program, resolve(around.folder, file), options);
    around.out(report(file, outcome, around.build));
    if (outcome.status > worst) worst = outcome.status;
  }
  return worst;
}

async function replayFile(program: AnyProgram, path: string, options: ReplayOptions): Promise<Outcome> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    return { status: 2, unreadable: (error as Error).message };
  }
  return replayText(program, text, options);
}
