import { writeFileSync } from "node:fs";
import { program } from "../src/sagas/program";
import { acceptDifferences, acceptedText } from "./acceptDifferences";
import { acceptedFile, readAccepted } from "./acceptedFile";
import { buildName } from "./buildName";

// Accepts the differences of logs from this build as intended, for every log of an earlier build.
// npm run accept -- CAUSE FILE…
const [cause, ...files] = process.argv.slice(2);
if (cause === undefined || files.length === 0) {
  console.error("usage: npm --prefix web run accept -- CAUSE FILE…");
  process.exit(2);
}
const folder = process.env.INIT_CWD ?? process.cwd();
const options = { program, build: buildName(), folder, accepted: readAccepted() };
const accepted = await acceptDifferences(cause, files, options);
writeFileSync(acceptedFile, acceptedText(accepted));
for (const entry of accepted)
  if (entry.cause === cause) console.log(`${entry.why} ${entry.what ?? ""}: ${entry.paths.join(", ")}`);
