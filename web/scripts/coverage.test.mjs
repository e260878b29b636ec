import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, it } from "node:test";
import { coverage, untestedCalls } from "./coverage.mjs";

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

it("each clause of an entry needs a test of its own", () => {
  rmSync(join(root, "docs/requirements"), { recursive: true });
  write("docs/requirements/site.md", "| PAY-9 | (a) One. (b) Two. | (c) Three. |\n");
  write("web/e2e/nav.spec.ts", '// PAY-9a\ntest("opens (PAY-9c)", async () => {});\n');
  assert.deepEqual(coverage(root).open, ["PAY-9b"]);
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
