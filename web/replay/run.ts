import { parseArgs } from "node:util";
import type { Accepted } from "../src/eventlog/accepted";
import type { Status } from "../src/eventlog/replay";
import type { Replayer } from "./pool";
import type { FileResult } from "./replayFile";

/** The command line's environment. */
export interface Surroundings {
  /** The folder that the paths are relative to. */
  readonly folder: string;
  /** The build that replays. */
  readonly build: string;
  /** Its intended differences from earlier builds. */
  readonly accepted?: readonly Accepted[];
  out(text: string): void;
  error(text: string): void;
  /** A replayer for this number of files. */
  replayer(files: number): Replayer;
}

const USAGE = `usage: npm --prefix web run replay -- [--json] [--reducers-only] FILE…
exit status: 0 replayed completely, 1 differs, 2 unreadable or wrong usage, 3 equal as far as it could be replayed`;

/** In ascending order: the worst result comes last. */
const SEVERITY: readonly Status[] = [0, 3, 1, 2];

const worstOf = (statuses: readonly Status[]): Status =>
  statuses.reduce<Status>((worst, status) => (SEVERITY.indexOf(status) > SEVERITY.indexOf(worst) ? status : worst), 0);

interface Options {
  readonly files: readonly string[];
  readonly reducersOnly: boolean;
  readonly json: boolean;
}

function read(args: readonly string[]): Options | { readonly fault: string } {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { "reducers-only": { type: "boolean", default: false }, json: { type: "boolean", default: false } },
    });
    if (positionals.length === 0) return { fault: "no file given" };
    return { files: positionals, reducersOnly: values["reducers-only"], json: values.json };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}

/** Replays the logs named on the command line, several at once; returns the worst of their statuses. */
export async function run(args: readonly string[], around: Surroundings): Promise<Status> {
  const parsed = read(args);
  if ("fault" in parsed) {
    around.error(`${parsed.fault}\n${USAGE}`);
    return 2;
  }
  const results = await replayAll(parsed, around);
  const status = worstOf(results.map(({ summary }) => summary.status));
  if (parsed.json) {
    const files = results.map(({ summary }) => summary);
    around.out(JSON.stringify({ build: around.build, status, files }, null, 2));
  }
  return status;
}

/** Reports the files in the order of the command line, each as soon as those before it are reported. */
async function replayAll({ files, reducersOnly, json }: Options, around: Surroundings): Promise<FileResult[]> {
  const { folder, build, accepted = [] } = around;
  const replayer = around.replayer(files.length);
  let done = 0;
  const underWay = files.map(async (file) => {
    const result = await replayer.replay({ file, folder, build, accepted, reducersOnly, withEarlier: true });
    done += 1;
    if (files.length > 1) around.error(`${done} of ${files.length}: ${file}`);
    return result;
  });
  try {
    const results: FileResult[] = [];
    for (const one of underWay) {
      const result = await one;
      if (!json) around.out(result.text);
      results.push(result);
    }
    return results;
  } finally {
    replayer.end();
  }
}
