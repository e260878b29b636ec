import { type ChildProcess, fork } from "node:child_process";
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
 * Each process takes one file at a time. It inherits the loader that runs TypeScript here.
 */
export function createPool(size: number, module: URL = MODULE): Pool {
  const alive = new Set<ChildProcess>();
  const idle: ChildProcess[] = [];
  const waiting: (() => void)[] = [];

  function start(): ChildProcess {
    const child = fork(module, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    alive.add(child);
    return child;
  }

  async function free(): Promise<ChildProcess> {
    for (;;) {
      const child = idle.pop();
      if (child?.connected) return child;
      if (child) alive.delete(child);
      if (alive.size < size) return start();
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  }

  /** Does one job in one process. A crashed process fails its job and no other. */
  function doIn<Result>(child: ChildProcess, job: object, failed: (reason: string) => Result): Promise<Result> {
    return new Promise((resolve) => {
      const onExit = (code: number | null, signal: string | null): void => {
        alive.delete(child);
        resolve(failed(`its replay process ended with ${signal ?? `status ${code}`}`));
      };
      child.once("exit", onExit);
      child.once("message", (result) => {
        child.off("exit", onExit);
        idle.push(child);
        resolve(result as Result);
      });
      child.send(job);
    });
  }

  async function done<Result>(job: object, failed: (reason: string) => Result): Promise<Result> {
    const result = await doIn(await free(), job, failed);
    waiting.shift()?.();
    return result;
  }

  return {
    replay: (job) => done(job, (reason) => unreadableResult(job, reason)),
    render: (job) => done<ScreensResult>(job, (unknown) => ({ unknown })),
    end() {
      for (const child of alive) child.kill();
    },
  };
}
