import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { replayText } from "../src/eventlog/replay";
import { report } from "../src/eventlog/report";
import { program } from "../src/sagas/program";
import { journeys } from "./testing/journeys";

// Records the sessions of testing/journeys anew: npm run record-logs [-- NAME…]
const folder = fileURLToPath(new URL("../../fixtures/logs/", import.meta.url));
const wanted = process.argv.slice(2);
mkdirSync(folder, { recursive: true });

for (const [name, journey] of Object.entries(journeys)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const log = await journey();
  const outcome = replayText(program, log);
  if (outcome.status !== 0) {
    console.error(report(name, outcome, "this build"));
    process.exitCode = 1;
    continue;
  }
  writeFileSync(`${folder}${name}.jsonl`, log);
  console.log(`${name}.jsonl: ${log.split("\n").length - 1} lines, ${Math.ceil(log.length / 1024)} KB`);
}
