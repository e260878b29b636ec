import { setFlagsFromString } from "node:v8";
import { openRecorder, type Recording, type RecordingJob } from "./coverageRecorder";

// Optimised code counts no calls.
setFlagsFromString("--no-opt");

let recorder: ReturnType<typeof openRecorder> | undefined;

async function resultOf(job: RecordingJob): Promise<Recording> {
  recorder ??= openRecorder(job.bundle);
  return job.file === undefined ? { lines: recorder.loaded, isCut: false } : recorder.record(job);
}

// One process of a pool: it answers each job with its result, and ends with its parent.
process.on("message", (job: RecordingJob) => {
  void resultOf(job).then((result) => process.send?.(result));
});
process.on("disconnect", () => process.exit());
