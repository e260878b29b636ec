import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, it } from "node:test";
import { cited, coverage, untestedCalls } from "./coverage.mjs";

const WORKER = "worker/touchline/tests/worker";
let root;

function write(path, text) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "coverage-"));
  write("docs/requirements/site.md", "| NAV-1 | One. |\n| NAV-2 | Two. |\n");
  write("docs/requirements/selling.md", "| id | x |\n|---|---|\n| PAY-1 | Three. |\n| PAY-2 | Four. |\n");
  write("docs/openapi.json", JSON.stringify({ paths: { "/api/geo": { get: {} }, "/api/reset/{id}": { post: {} } } }));
  write(`${WORKER}/schemathesis.rs`, 'const NEED_MORE: &[&str] = &[\n    "POST /api/reset/{id}",\n];\n');
});
afterEach(() => rmSync(root, { recursive: true }));

it("ids are recognised alone and in a range, and not within other words", () => {
  assert.deepEqual(cited("NAV-1 to NAV-3 (PAY-2), UTF-8", new Set(["NAV", "PAY"])), [
    "NAV-1",
    "NAV-2",
    "NAV-3",
    "PAY-2",
  ]);
});

it("each kind of test is read, also in subfolders", () => {
  write("web/e2e/watch/live.spec.ts", 'test("plays (NAV-1)", async () => {});\ntest("pauses", async () => {});\n');
  write(
    `${WORKER}/money/pay.rs`,
    "/// Shows PAY-1.\n#[tokio::test]\nasync fn a_card_pays() {}\n/// PAY-2\nfn no_test() {}\n",
  );
  write(
    "web/src/journeys/buy/pay.test.ts",
    '// PAY-1\njourney("a press (NAV-2)", async () => {});\nit("a walk (PAY-2)", () => {});\n',
  );
  const { page, open } = coverage(root);
  const rows = page.split("\n").filter((line) => /^\| [A-Z]+-/.test(line));
  assert.deepEqual(rows, [
    "| PAY-1 |  | money/pay: a card pays | buy/pay: a press |",
    "| PAY-2 | **open** | |  |",
    "| NAV-1 | watch/live: plays |  |  |",
    "| NAV-2 |  |  | buy/pay: a press |",
  ]);
  assert.deepEqual(open, ["PAY-2"]);
});

it("calls of the fake channel without a black-box test are named", () => {
  write(
    "web/src/journeys/testing/channel/account.ts",
    '"GET /api/geo": a, "POST /api/reset/{id}": b, "GET /api/else": c',
  );
  assert.deepEqual(untestedCalls(root), ["GET /api/else", "POST /api/reset/{id}"]);
  write(`${WORKER}/accounts.rs`, 'worker.data(Method::POST, "reset/12", &body); worker.get("/api/else/more");');
  assert.deepEqual(untestedCalls(root), ["GET /api/else"]);
});
