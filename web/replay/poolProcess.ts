import { program } from "../src/sagas/program";
import { type FileJob, replayFile } from "./replayFile";
import { tracePuts } from "./tracePuts";

tracePuts();

// One process of the pool: it answers each job with its result, and ends with its parent.
process.on("message", (job: FileJob) => {
  void replayFile(program, job).then((result) => process.send?.(result));
});
process.on("disconnect", () => process.exit());
