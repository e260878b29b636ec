// web/replay/declined-shown-as-paid.test.ts; the log is fixtures/logs/reported/declined-shown-as-paid.jsonl
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parseLog } from "../src/eventlog/parse";
import { rerun } from "../src/eventlog/rerun";
import { program } from "../src/sagas/program";

const file = new URL("../../fixtures/logs/reported/declined-shown-as-paid.jsonl", import.meta.url);
const log = parseLog(readFileSync(file, "utf8"));

it("declined-shown-as-paid reaches the expected state at line 190, purchase/orderSeen", () => {
  const { state, notes } = rerun(program, log, 190);
  const seen = notes.join("\n");
  expect(state.purchase, seen).toMatchObject({ at: "failed", message: "Your card was declined." });
});
