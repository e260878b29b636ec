import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { acceptDifferences, acceptedText } from "./acceptDifferences";
import { replayFile } from "./replayFile";
import { committedLog } from "./testing/recordings";
import { silentProgram } from "./testing/silentProgram";

const folder = mkdtempSync(join(tmpdir(), "touchline-accept-"));
afterAll(() => rmSync(folder, { recursive: true }));
for (const name of ["purchase-declined", "purchase-paid"])
  writeFileSync(join(folder, `${name}.jsonl`), committedLog(name));

const BUILD = "0.1.0+abcdefabcdef";
const CAUSE = "a declined card has no message";
const options = { program: silentProgram, build: BUILD, folder, accepted: [] };
const replayed = async (accepted: Awaited<ReturnType<typeof acceptDifferences>>) =>
  (await replayFile(silentProgram, { file: "purchase-declined.jsonl", folder, build: BUILD, accepted })).summary;

it("the differences of files are accepted under one cause, and such a file replays the same", async () => {
  expect((await replayed([])).status).toBe(1);
  const accepted = await acceptDifferences(CAUSE, ["purchase-declined.jsonl", "purchase-paid.jsonl"], options);
  expect(accepted).toEqual([{ cause: CAUSE, build: BUILD, why: "state", what: null, paths: ["purchase"] }]);
  expect(acceptedText(accepted)).toBe(`${JSON.stringify(accepted[0])}\n`);
  expect((await replayed(accepted)).status).toBe(0);
  // Once more adds nothing.
  expect(await acceptDifferences(CAUSE, ["purchase-declined.jsonl"], { ...options, accepted })).toEqual(accepted);
});

it("nothing is accepted from a file that is no log", async () => {
  writeFileSync(join(folder, "notes.jsonl"), "not a log\n");
  await expect(acceptDifferences(CAUSE, ["notes.jsonl"], options)).rejects.toThrow("line 1: not JSON");
});
