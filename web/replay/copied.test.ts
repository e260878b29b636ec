import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll } from "vitest";
import { program } from "../src/sagas/program";
import { openRecording } from "../src/simulate/recording";
import { testCase } from "../src/simulate/testCase";

// A case that the replayer's page copies is run here as it stands, but for where it finds the product and the log.
const log = new URL("../../fixtures/logs/purchase-paid.jsonl", import.meta.url);
const recording = openRecording(program, "Purchase, paid.jsonl", readFileSync(log, "utf8"));
const paid = recording.log.lines.findIndex(({ type }) => type === "purchase/orderSeen") + 1;

const folder = mkdtempSync(join(tmpdir(), "touchline-copied-"));
afterAll(() => rmSync(folder, { recursive: true }));

const file = join(folder, "copied.ts");
const text = testCase(recording, paid)
  .replaceAll('from "../src/', `from "${join(import.meta.dirname, "../src")}/`)
  .replace(
    'new URL("../../fixtures/logs/reported/purchase-paid.jsonl", import.meta.url)',
    JSON.stringify(log.pathname),
  );
writeFileSync(file, text);
await import(/* @vite-ignore */ pathToFileURL(file).href);
