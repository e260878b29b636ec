import { openProcesses } from "./processes";
import { type FileJob, type FileResult, unreadableResult } from "./replayFile";
import type { ScreensJob, ScreensResult } from "./screens/renderScreens";

export interface Replayer {
  replay(job: FileJob): Promise<FileResult>;
  end(): void;
}

export interface Pool extends Replayer {
  /** Renders screens of a session with two builds. */
  render(job: ScreensJob): Promise<ScreensResult>;
}

const MODULE = new URL("./poolProcess.ts", import.meta.url);

/**
 * Replays in `size` processes at once: redux-saga's scheduler is global to a realm, and a replay blocks its thread.
 * Each process takes one file at a time.
 */
export function createPool(size: number, module: URL = MODULE): Pool {
  const { run, end } = openProcesses(size, module);
  return {
    replay: (job) => run(job, (reason) => unreadableResult(job, reason)),
    render: (job) => run<ScreensResult>(job, (unknown) => ({ unknown })),
    end,
  };
}
