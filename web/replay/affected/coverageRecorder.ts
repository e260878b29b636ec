import { readFileSync } from "node:fs";
import { type Profiler, Session } from "node:inspector";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import type { Accepted } from "../../src/eventlog/accepted";
import type * as replays from "../../src/eventlog/replay";
import type { program as product } from "../../src/sagas/program";
import { isSince } from "../buildName";
import { readText } from "../readText";
import { rangesText } from "./lineRanges";
import { type Token, tokensOf } from "./tokens";

/** Line ranges by file. */
export type FileRanges = Readonly<Record<string, string>>;

/** The lines that a session runs on this build, or the reason why it can't be replayed. Plain data. */
export type Recording =
  | {
      readonly lines: FileRanges;
      /** It stopped at a difference: this build may run other lines behind it. */
      readonly isCut: boolean;
    }
  | { readonly unreadable: string };

export interface RecordingJob {
  /** The file of the bundle, with its source map beside it. */
  readonly bundle: string;
  readonly folder: string;
  /** Relative to the folder; absent: only what the modules run as they load. */
  readonly file?: string;
  readonly accepted: readonly Accepted[];
}

interface Bundle {
  readonly program: typeof product;
  readonly readLog: typeof replays.readLog;
  readonly replayLog: typeof replays.replayLog;
}

/** Finds the lines that ran, from the counts of a bundle's ranges. */
function lineCounter(tokens: readonly Token[]) {
  const numbers = new Map<string, number>();
  const lines: { readonly file: string; readonly line: number }[] = [];
  // Sessions are many, and tokens too: each token has its line's index.
  const lineAt = Uint32Array.from(tokens, ({ file, line }) => {
    const name = `${file}:${line}`;
    const number = numbers.get(name) ?? lines.push({ file, line }) - 1;
    numbers.set(name, number);
    return number;
  });

  return {
    /** The lines of which every token ran, or any. The ranges are sorted by their start. */
    linesRun(ranges: readonly Profiler.CoverageRange[], of: "every" | "any"): FileRanges {
      const [run, unrun] = [new Uint8Array(lines.length), new Uint8Array(lines.length)];
      // The innermost range around a token has its count.
      const around: Profiler.CoverageRange[] = [];
      const leave = (offset: number): void => {
        while (around.length > 0 && (around.at(-1) as Profiler.CoverageRange).endOffset <= offset) around.pop();
      };
      let next = 0;
      for (const [index, { offset }] of tokens.entries()) {
        for (; next < ranges.length && (ranges[next] as Profiler.CoverageRange).startOffset <= offset; next++) {
          const range = ranges[next] as Profiler.CoverageRange;
          leave(range.startOffset);
          around.push(range);
        }
        leave(offset);
        ((around.at(-1)?.count ?? 0) > 0 ? run : unrun)[lineAt[index] as number] = 1;
      }
      const byFile = new Map<string, number[]>();
      for (const [index, { file, line }] of lines.entries()) {
        if (run[index] === 0 || (of === "every" && unrun[index] === 1)) continue;
        const found = byFile.get(file);
        if (found) found.push(line);
        else byFile.set(file, [line]);
      }
      return Object.fromEntries([...byFile].map(([file, found]) => [file, rangesText(found)]));
    },
  };
}

/** Records the lines that sessions execute in this process, from V8's counters. */
export function openRecorder(bundleFile: string) {
  const { href } = pathToFileURL(bundleFile);
  const session = new Session();
  session.connect();
  const take = (): Profiler.CoverageRange[] => {
    let ranges: Profiler.CoverageRange[] = [];
    // Taking the counters resets them. The answer is there when the call returns.
    session.post("Profiler.takePreciseCoverage", (error, taken) => {
      if (error) throw error;
      const script = taken.result.find(({ url }) => url === href);
      ranges = (script?.functions ?? []).flatMap((one) => one.ranges);
    });
    return ranges.sort((one, other) => one.startOffset - other.startOffset || other.endOffset - one.endOffset);
  };
  session.post("Profiler.enable");
  // Only code that is compiled afterwards has counters in its blocks.
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  const code = readFileSync(bundleFile, "utf8");
  const { linesRun } = lineCounter(tokensOf(code, readFileSync(`${bundleFile}.map`, "utf8")));
  const start = new Script(code, { filename: bundleFile }).runInThisContext() as (
    require: NodeJS.Require,
    module: { exports: unknown },
  ) => void;
  const require = createRequire(bundleFile);
  /** New modules: a value that one session has cached isn't there for the next. */
  const load = (): Bundle => {
    const module = { exports: {} };
    start(require, module);
    return module.exports as Bundle;
  };
  load();
  // A line with a function that wasn't called runs later.
  const loaded = linesRun(take(), "every");

  return {
    /** The lines that the modules run as they load. */
    loaded,
    async record({ folder, file = "", accepted }: RecordingJob): Promise<Recording> {
      try {
        const text = await readText(resolve(folder, file));
        const { program, readLog, replayLog } = load();
        take();
        const log = readLog(text);
        if ("status" in log)
          return { unreadable: log.line === null ? log.unreadable : `line ${log.line}: ${log.unreadable}` };
        const { status } = replayLog(program, log, {
          accepted: (build) => accepted.filter((entry) => !isSince(build, entry.build)),
        });
        return { lines: linesRun(take(), "any"), isCut: status === 1 };
      } catch (error) {
        return { unreadable: (error as Error).message };
      }
    },
    close: () => session.disconnect(),
  };
}
