import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readAccepted } from "./acceptedFile";
import { affectedSessions } from "./affected/affectedSessions";
import { UsageError } from "./affected/changes";
import type { Recording } from "./affected/coverageRecorder";
import { openProcesses } from "./processes";
import { sessionsIn } from "./sessionFolder";

// Prints the fewest sessions of a folder that run the changed lines, and the changed lines that none runs.
// npm run affected -- [--since COMMIT] [--json] FOLDER: exit status 2 if it can't tell
const web = fileURLToPath(new URL("..", import.meta.url));

function options(): { readonly from: string; readonly since: string | undefined; readonly json: boolean } {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { since: { type: "string" }, json: { type: "boolean", default: false } },
    });
    const [from, ...others] = positionals;
    if (from && others.length === 0) return { from, since: values.since, json: values.json };
  } catch (error) {
    console.error((error as Error).message);
  }
  throw new UsageError("usage: make affected FROM=DIR [SINCE=COMMIT] [JSON=1]");
}

const processes = openProcesses(availableParallelism(), new URL("./affected/coverageProcess.ts", import.meta.url));
try {
  const { from, since, json } = options();
  const folder = resolve(process.env.INIT_CWD ?? process.cwd(), from);
  const files = sessionsIn(folder);
  if (typeof files === "string") throw new UsageError(files);
  await affectedSessions(files, {
    from,
    folder,
    web,
    cache: fileURLToPath(new URL("../../.cache/affected", import.meta.url)),
    since,
    json,
    accepted: readAccepted(),
    record: (job) => processes.run<Recording>(job, (unreadable) => ({ unreadable })),
    print: (text) => console.log(text),
    progress: (text) => console.error(text),
  });
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
} finally {
  processes.end();
}
