import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fillSummaries } from "./fillSummaries";

const LOG = `${JSON.stringify({ format: "touchline-log", v: 2, build: "0.1.0+abc", locale: "en" })}\n`;
const SUMMARY = { build: "0.1.0+abc", language: "en", outcomes: [], longest_wait_ms: 0 };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "reports-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, content: string | Buffer) => writeFileSync(join(folder, name), content);
const facts = (name: string) => JSON.parse(readFileSync(join(folder, name), "utf8"));

it("reports without a summary get theirs, and nothing else changes (LOG-5)", async () => {
  write("1.jsonl.gz", gzipSync(LOG));
  write("1.json", JSON.stringify({ id: "1", note: "It froze." }));
  write("2.jsonl", LOG);
  write("2.json", JSON.stringify({ id: "2", summary: { build: "earlier" } }));
  write("3.jsonl.gz", "damaged");
  write("3.json", JSON.stringify({ id: "3" }));
  write("4.jsonl", LOG);
  write("5.jsonl", LOG);
  write("5.json", "not JSON");
  chmodSync(join(folder, "1.json"), 0o640);
  const names = readdirSync(folder);
  expect(await fillSummaries(folder, ["1.jsonl.gz", "2.jsonl", "3.jsonl.gz", "4.jsonl", "5.jsonl"])).toBe(1);
  expect(facts("1.json")).toEqual({ id: "1", note: "It froze.", summary: SUMMARY });
  expect(statSync(join(folder, "1.json")).mode & 0o777).toBe(0o640);
  expect(facts("2.json")).toEqual({ id: "2", summary: { build: "earlier" } });
  expect(facts("3.json")).toEqual({ id: "3" });
  expect(readdirSync(folder)).toEqual(names);
});
