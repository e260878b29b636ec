import { availableParallelism } from "node:os";
import { program } from "../src/sagas/program";
import { readAccepted } from "./acceptedFile";
import { buildName } from "./buildName";
import { createPool } from "./pool";
import { replayFile } from "./replayFile";
import { run } from "./run";
import { tracePuts } from "./tracePuts";

tracePuts();

// npm runs a script in the package's folder and passes the caller's folder here.
const folder = process.env.INIT_CWD ?? process.cwd();

process.exitCode = await run(process.argv.slice(2), {
  folder,
  build: buildName(),
  accepted: readAccepted(),
  out: (text) => console.log(text),
  error: (text) => console.error(text),
  replayer(files) {
    const size = Math.min(files, availableParallelism());
    return size > 1 ? createPool(size) : { replay: (job) => replayFile(program, job), end: () => undefined };
  },
});
