import { type ChildProcess, fork } from "node:child_process";

/** Processes that do jobs, each one at a time. */
export interface Processes {
  /** Does a job in a free process. A crashed process fails its job and no other. */
  run<Result>(job: object, failed: (reason: string) => Result): Promise<Result>;
  end(): void;
}

/** Opens up to `size` processes of a module. They inherit the loader that runs TypeScript here. */
export function openProcesses(size: number, module: URL): Processes {
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

  return {
    async run(job, failed) {
      const result = await doIn(await free(), job, failed);
      waiting.shift()?.();
      return result;
    },
    end() {
      for (const child of alive) child.kill();
    },
  };
}
