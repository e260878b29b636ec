import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { program } from "../src/sagas/program";
import { acceptDifferences, acceptedText } from "./acceptDifferences";
import { acceptedFile, readAccepted } from "./acceptedFile";
import { buildName } from "./buildName";
import { bundleToday } from "./screens/bundleScreens";

// Accepts the differences of logs from this build as intended, for every log of an earlier build.
// npm run accept -- [--screens] CAUSE FILE…
const { values, positionals } = parseArgs({ allowPositionals: true, options: { screens: { type: "boolean" } } });
const [cause, ...files] = positionals;
if (cause === undefined || files.length === 0) {
  console.error("usage: npm --prefix web run accept -- [--screens] CAUSE FILE…");
  process.exit(2);
}
const folder = process.env.INIT_CWD ?? process.cwd();
const options = { program, build: buildName(), folder, accepted: readAccepted() };
const screens = values.screens ? await bundleToday() : undefined;
const accepted = await acceptDifferences(cause, files, screens ? { ...options, screens: screens.file } : options);
screens?.remove();
writeFileSync(acceptedFile, acceptedText(accepted));
for (const entry of accepted)
  if (entry.cause === cause) console.log(`${entry.why} ${entry.what ?? ""}: ${entry.paths.join(", ")}`);
