import { expect, it } from "vitest";
import type { Worker } from "./worker";
import { createWorkerPool } from "./workerPool";

function fakeWorker(ended: string[], origin: string): Worker {
  let isKilled = false;
  return {
    origin,
    kill: async () => void (isKilled = true),
    wasKilled: () => isKilled,
    end: async () => void ended.push(origin),
  } as Worker;
}

it("the journeys of a file share one worker, the next file gets another, and each is ended", async () => {
  const ended: string[] = [];
  const pool = createWorkerPool();
  const take = (key: string, origin: string) => pool.of(key, async () => fakeWorker(ended, origin));
  const first = await take("a.spec.ts", "1");
  expect(await take("a.spec.ts", "2")).toBe(first);
  expect((await take("b.spec.ts", "3")).origin).toBe("3");
  expect(ended).toEqual(["1"]);
  await pool.end();
  expect(ended).toEqual(["1", "3"]);
});

it("no journey gets a worker that an earlier one killed", async () => {
  const ended: string[] = [];
  const pool = createWorkerPool();
  const first = await pool.of("a.spec.ts", async () => fakeWorker(ended, "1"));
  await first.kill();
  expect((await pool.of("a.spec.ts", async () => fakeWorker(ended, "2"))).origin).toBe("2");
  expect(ended).toEqual(["1"]);
});
