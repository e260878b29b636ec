import { program } from "../src/sagas/program";
import { type FileJob, type FileResult, replayFile } from "./replayFile";
import type { ScreensJob, ScreensResult } from "./screens/renderScreens";
import { tracePuts } from "./tracePuts";

tracePuts();

async function resultOf(job: FileJob | ScreensJob): Promise<FileResult | ScreensResult> {
  if (!("lines" in job)) return replayFile(program, job);
  // A press may fail without the browser's features, after it has returned.
  if (process.listenerCount("unhandledRejection") === 0) process.on("unhandledRejection", () => undefined);
  // A browser's document takes a while to load.
  return (await import("./screens/renderScreens")).renderScreens(program, job);
}

// One process of the pool: it answers each job with its result, and ends with its parent.
process.on("message", (job: FileJob | ScreensJob) => {
  void resultOf(job).then((result) => process.send?.(result));
});
process.on("disconnect", () => process.exit());
