// Code or a test cites each id of docs/requirements, and no citation names an id that does not exist.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { cited, defined, idOf, topicsOf } from "../scripts/citations.mjs";

const root = resolve(import.meta.dirname, "../..");
const SOURCES = ["worker", "web/src", "web/sw", "web/e2e", "web/replay", "web/scripts", "web/bench", "web/codegen"];
const DOCUMENTS = ["README.md", "CONTRIBUTING.md", "docs"];
const SKIPPED = new Set(["node_modules", "target", "dist", "generated", "frozen", "coverage.md"]);
const READ = /\.(rs|sql|tsx?|m?js|css|md)$/;
const PAGES = "docs/requirements";

function files(path: string): string[] {
  if (statSync(join(root, path)).isFile()) return READ.test(path) ? [path] : [];
  const inside = readdirSync(join(root, path)).filter((name) => !SKIPPED.has(name));
  return inside.flatMap((name) => files(join(path, name)));
}

const pages = files(PAGES).map((path) => readFileSync(join(root, path), "utf8"));
const ids = pages.flatMap(defined);
const topics = topicsOf(ids);
const citations = (paths: readonly string[]): { path: string; id: string }[] =>
  paths
    .flatMap(files)
    .flatMap((path) => cited(readFileSync(join(root, path), "utf8"), topics).map((id) => ({ path, id })));

describe("the requirements", () => {
  it("have unique ids", () => {
    expect(ids.length).toBeGreaterThan(100);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });

  it("letter their clauses in order", () => {
    const clauses = ids.filter((id) => idOf(id) !== id);
    const before = (clause: string): string =>
      clause.endsWith("a")
        ? idOf(clause)
        : idOf(clause) + String.fromCharCode(clause.charCodeAt(clause.length - 1) - 1);
    expect(clauses.filter((clause) => ids[ids.indexOf(clause) - 1] !== before(clause))).toEqual([]);
    expect(pages.join().match(/ \([a-z]\) /g)).toHaveLength(clauses.length);
  });

  it("are in rows of three cells, or of two if every row is decided", () => {
    const rows = pages.flatMap((page) => page.split("\n")).filter((line) => /^\| [A-Z]+-/.test(line));
    expect(rows.filter((row) => defined(row).length === 0 || !/^\|([^|]+\|){3}$/.test(row))).toEqual([]);
    expect(rows.length).toBe(ids.filter((id) => idOf(id) === id).length);
  });

  it("are all cited where they are implemented or tested", () => {
    const citedIds = new Set(citations(SOURCES).map(({ id }) => idOf(id)));
    expect(ids.filter((id) => !citedIds.has(idOf(id)))).toEqual([]);
  });

  it("are not cited by unknown ids", () => {
    const definedIds = new Set(ids);
    expect(citations([...SOURCES, ...DOCUMENTS]).filter(({ id }) => !definedIds.has(id))).toEqual([]);
  });
});

describe("a citation", () => {
  it("is recognised alone and in a range, and not within other words", () => {
    const text = "As `NAV-1` to `NAV-3` say (PAY-2b), in UTF-8; NAV-7 to 9 means NAV-7 alone.";
    expect(cited(text, new Set(["NAV", "PAY"]))).toEqual(["NAV-1", "NAV-2", "NAV-3", "PAY-2b", "NAV-7", "NAV-7"]);
  });
});
