import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Accepted, intendedIn, withAccepted } from "../src/eventlog/accepted";
import { parseLog } from "../src/eventlog/parse";
import { program } from "../src/sagas/program";
import { acceptedFile, readAccepted } from "./acceptedFile";
import { buildName } from "./buildName";
import { readText } from "./replayFile";

// Accepts the differences of logs from this build as intended, for every log of an earlier build.
// npm run accept -- CAUSE FILE…
const [cause, ...files] = process.argv.slice(2);
if (cause === undefined || files.length === 0) {
  console.error("usage: npm --prefix web run accept -- CAUSE FILE…");
  process.exit(2);
}
let accepted: readonly Accepted[] = readAccepted();
for (const file of files) {
  const log = parseLog(await readText(resolve(process.env.INIT_CWD ?? process.cwd(), file)));
  accepted = withAccepted(accepted, intendedIn(program, log, cause, buildName()));
}
writeFileSync(acceptedFile, accepted.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
for (const entry of accepted)
  if (entry.cause === cause) console.log(`${entry.why} ${entry.what ?? ""}: ${entry.slices.join(", ")}`);
