import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { readAccepted } from "./acceptedFile";
import { buildName } from "./buildName";
import { fillSummaries } from "./fillSummaries";
import { createPool } from "./pool";
import { replaySessions } from "./replaySessions";
import { bundleToday } from "./screens/bundleScreens";
import { sessionsIn } from "./sessionFolder";

// Replays every session of a folder, such as a worker's reports, and groups the differences by their cause.
// npm run sessions -- [--screens] FOLDER: exit status 1 if a session differs, 2 if one is unreadable
const { values, positionals } = parseArgs({ allowPositionals: true, options: { screens: { type: "boolean" } } });
const [from, ...others] = positionals;
if (!from || others.length > 0) {
  console.error("usage: make sessions FROM=DIR [SCREENS=1]");
  process.exit(2);
}
const folder = resolve(process.env.INIT_CWD ?? process.cwd(), from);
const files = sessionsIn(folder);
if (typeof files === "string") {
  console.error(files);
  process.exit(2);
}

const filled = await fillSummaries(folder, files);
if (filled > 0) console.error(`${filled === 1 ? "1 report has" : `${filled} reports have`} a summary now`);

const pool = createPool(Math.min(files.length, availableParallelism()));
const today = values.screens ? await bundleToday() : undefined;

process.exitCode = await replaySessions(files, {
  from,
  build: buildName(),
  pool,
  ...(today ? { screens: today.file } : {}),
  job: { folder, build: buildName(), accepted: readAccepted(), withEarlier: true },
  print: (text) => console.log(text),
  progress: (text) => console.error(text),
});
today?.remove();
