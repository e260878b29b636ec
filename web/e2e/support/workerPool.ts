import type { Worker } from "./worker";

/** The worker shared by a file's journeys. */
export interface WorkerPool {
  /** The running worker of that key, or a new one. A killed worker isn't used again. */
  of(key: string, start: () => Promise<Worker>): Promise<Worker>;
  end(): Promise<void>;
}

export function createWorkerPool(): WorkerPool {
  let current: { readonly key: string; readonly worker: Worker } | null = null;
  async function end(): Promise<void> {
    const { worker } = current ?? {};
    current = null;
    await worker?.end();
  }
  return {
    async of(key, start) {
      if (current?.key === key && !current.worker.wasKilled()) return current.worker;
      await end();
      const worker = await start();
      current = { key, worker };
      return worker;
    },
    end,
  };
}
