import { mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { replayText } from "../src/eventlog/replay";
import { report } from "../src/eventlog/report";
import { program } from "../src/sagas/program";
import { journeys } from "./testing/journeys";
import { committedNames, logFolder, record } from "./testing/recordings";

// Records the sessions of testing/journeys.
// npm run record-logs [-- NAME…]: those that are committed, into fixtures/logs, if they replay the same
// npm run record-logs -- --all FOLDER: every one, into FOLDER; `npm run replay` checks whether they replay
const { values, positionals } = parseArgs({ allowPositionals: true, options: { all: { type: "string" } } });
const folder = values.all === undefined ? logFolder : resolve(process.env.INIT_CWD ?? process.cwd(), values.all);
mkdirSync(folder, { recursive: true });

async function recordCommitted(names: readonly string[]): Promise<void> {
  for (const name of names) {
    const log = await record(name);
    const outcome = replayText(program, log);
    if (outcome.status === 0) {
      writeFileSync(resolve(folder, `${name}.jsonl`), log);
      console.log(`${name}.jsonl: ${log.split("\n").length - 1} lines, ${Math.ceil(log.length / 1024)} KB`);
    } else {
      console.error(report(name, outcome, "this build"));
      process.exitCode = 1;
    }
  }
}

async function recordEvery(): Promise<void> {
  for (const name of Object.keys(journeys)) writeFileSync(resolve(folder, `${name}.jsonl`), await record(name));
  console.log(`${Object.keys(journeys).length} logs in ${folder}`);
}

await (values.all === undefined
  ? recordCommitted(positionals.length > 0 ? positionals : committedNames)
  : recordEvery());
