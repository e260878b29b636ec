import { type ChildProcess, fork } from "node:child_process";
import { type FileJob, type FileResult, unreadableResult } from "./replayFile";

export interface Replayer {
  replay(job: FileJob): Promise<FileResult>;
  end(): void;
}

const MODULE = new URL("./poolProcess.ts", import.meta.url);

/**
 * Replays in `size` processes at once: redux-saga's scheduler is global to a realm, and a replay blocks its thread.
 * Each process takes one file at a time. It inherits the loader that runs TypeScript here.
 */
export function createPool(size: number, module: URL = MODULE): Replayer {
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

  /** Replays one file in one process. A crashed process fails its file and no other. */
  function replayIn(child: ChildProcess, job: FileJob): Promise<FileResult> {
    return new Promise((resolve) => {
      const onExit = (code: number | null, signal: string | null): void => {
        alive.delete(child);
        resolve(unreadableResult(job, `its replay process ended with ${signal ?? `status ${code}`}`));
      };
      child.once("exit", onExit);
      child.once("message", (result) => {
        child.off("exit", onExit);
        idle.push(child);
        resolve(result as FileResult);
      });
      child.send(job);
    });
  }

  return {
    async replay(job) {
      const result = await replayIn(await free(), job);
      waiting.shift()?.();
      return result;
    },
    end() {
      for (const child of alive) child.kill();
    },
  };
}
