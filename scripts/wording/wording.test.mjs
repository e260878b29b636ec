import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { compare, format, lower, parse } from "./ceilings.mjs";
import { containsEntry, declaredNames, entriesOf, relativeComments } from "./count.mjs";

const ENTRIES = entriesOf(readFileSync(join(import.meta.dirname, "identifiers.md"), "utf8"));
const matching = (names) => names.filter((name) => containsEntry(name, ENTRIES));

describe("doc comments that begin with a relative word", () => {
  it("are found in Rust, once per block", () => {
    const text = [
      "//! What the crate does.",
      "/// The price.",
      "/// Which is in cents.",
      "fn price() {}",
      "    /// Whether it is paid.",
      "    ///How it is paid.",
      "#[test]",
      "    /// Of all orders.",
      "    // What a plain comment says.",
      "//// What a ruler says.",
    ];
    assert.deepEqual(relativeComments("a.rs", text.join("\n")), ["//! What the crate does.", "    /// Of all orders."]);
    assert.deepEqual(relativeComments("a.rs", "/// Until\nfn a() {}\n/// Sooner\n/// Underneath"), ["/// Until"]);
  });

  it("are found in TypeScript, on one or several lines", () => {
    const text = "/** What it is. */\n/**\n * Who asks.\n * How.\n */\n/** The price.\n * So it is. */\n/* Of a plain block. */\n// So";
    assert.equal(relativeComments("a.tsx", text).length, 2);
  });
});

describe("declared names", () => {
  it("are found after Rust keywords", () => {
    const text = `
      pub(crate) const fn told() { let mut asked = 1; let Some(inner) = other else { return }; }
      pub struct KeptAnswer { given: u8 }
      const MOST_LINES: usize = 1; static EVERY: u8 = 2; // let place = 3;
      /* enum Stand {} */ type Row<T> = T; mod words; enum Place { A } trait Known {} let _ = 1;`;
    assert.deepEqual(declaredNames("a.rs", text), [
      "told", "asked", "KeptAnswer", "MOST_LINES", "EVERY", "Row", "words", "Place", "Known", "_",
    ]);
  });

  it("are found after TypeScript keywords", () => {
    const text = `
      export function* tellVisit() {} async function ask() {} const enum Kept { A }
      export const told = 1, next = 2; let asked; class Place {} interface Known {} type Parts = {};
      const { left } = box; for (const word of words) {} // const heard = 1;
      const address = "https://example.org/ask";`;
    assert.deepEqual(declaredNames("a.ts", text), [
      "tellVisit", "ask", "Kept", "told", "asked", "Place", "Known", "Parts", "word", "address",
    ]);
  });

  it("match if one of their words is an entry", () => {
    const avoided = ["told", "toldOf", "isToldNow", "AskedOf", "PLACE", "place_of", "MOST_LINES", "LINES_AT_MOST", "WITHIN", "EVERY_S", "PageParts", "wordsOf"];
    assert.deepEqual(matching(avoided), avoided);
    assert.deepEqual(matching(["untold", "replace", "lifetime", "almost", "everyOrder", "within", "parts", "partsOf", "askew", "owner", "keeper"]), []);
  });
});

describe("the ceilings", () => {
  const counts = (comments, names) => ({ comments, names });
  const ceilings = new Map([["a.rs", counts(2, 1)], ["old/b.ts", counts(0, 3)]]);

  it("survive formatting and parsing", () => {
    const text = format(new Map([...ceilings, ["none.rs", counts(0, 0)]]));
    assert.equal(text, "# path, comments (2), names (4)\na.rs\t2\t1\nold/b.ts\t0\t3\n");
    assert.deepEqual(parse(text), ceilings);
  });

  it("allow no file more than before, and a new file nothing", () => {
    const { above } = compare(ceilings, new Map([["a.rs", counts(3, 1)], ["old/b.ts", counts(0, 3)], ["new.rs", counts(1, 0)]]));
    assert.deepEqual(above.map(({ path, kind }) => [path, kind]), [["a.rs", "comments"], ["new.rs", "comments"]]);
  });

  it("fall with the counts and never rise", () => {
    const found = new Map([["a.rs", counts(1, 4)], ["new/b.ts", counts(2, 2)], ["c.ts", counts(1, 1)]]);
    assert.deepEqual(compare(ceilings, found).below.map(({ path, kind }) => [path, kind]), [["a.rs", "comments"], ["old/b.ts", "names"]]);
    assert.deepEqual(lower(ceilings, found), new Map([["a.rs", counts(1, 1)], ["new/b.ts", counts(0, 2)], ["c.ts", counts(0, 0)]]));
  });
});
