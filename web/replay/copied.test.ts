import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll } from "vitest";
import { program } from "../src/sagas/program";
import { openRecording } from "../src/simulate/recording";
import { testCase } from "../src/simulate/testCase";

// Runs a case copied from the replayer's page as is, except for the locations of the product and the log.
const log = new URL("../../fixtures/logs/purchase-paid.jsonl", import.meta.url);
const recording = openRecording(program, "Purchase, paid.jsonl", readFileSync(log, "utf8"));
const { lines } = recording.log;
const positions = {
  paid: lines.findIndex(({ type }) => type === "purchase/orderSeen") + 1,
  // A step between two turns, and one that changes a slice too long for a case.
  still: lines.findIndex(({ kind }) => kind === "checkpoint") + 1,
  loaded: recording.states.findIndex(({ catalogue }) => JSON.stringify(catalogue).length > 2_000),
};

const folder = mkdtempSync(join(tmpdir(), "touchline-copied-"));
afterAll(() => rmSync(folder, { recursive: true }));

for (const [name, position] of Object.entries(positions)) {
  const file = join(folder, `${name}.ts`);
  const text = testCase(recording, position)
    .replaceAll('from "../src/', `from "${join(import.meta.dirname, "../src")}/`)
    .replace(
      'new URL("../../fixtures/logs/reported/purchase-paid.jsonl", import.meta.url)',
      JSON.stringify(log.pathname),
    );
  writeFileSync(file, text);
  await import(/* @vite-ignore */ pathToFileURL(file).href);
}
