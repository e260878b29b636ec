// node scripts/wording/check.mjs [--lower]: counts in each file the doc comments that begin with a relative word, and the
// declared names from identifiers.md. ceilings.tsv has the allowed counts; a file that is not listed may have none.
// Fails if a ceiling can be lowered; --lower does so, and follows a file moved under the same name.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compare, format, lower, parse } from "./ceilings.mjs";
import { containsEntry, declaredNames, entriesOf, relativeComments } from "./count.mjs";

const root = join(import.meta.dirname, "../..");
const CEILINGS = join(import.meta.dirname, "ceilings.tsv");
const FOLDERS = ["worker", "web", "fixtures", "scripts"];
/** `wording` is skipped because its tests contain avoided words. */
const SKIPPED = new Set(["node_modules", "target", "dist", "generated", "wording"]);

function* sources(folder) {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (!SKIPPED.has(entry.name)) yield* sources(path);
    } else if (/\.(rs|tsx?|m?js)$/.test(entry.name)) yield path;
  }
}

const entries = entriesOf(readFileSync(join(import.meta.dirname, "identifiers.md"), "utf8"));
const matches = new Map();
for (const path of FOLDERS.flatMap((folder) => [...sources(folder)])) {
  const text = readFileSync(join(root, path), "utf8");
  const comments = relativeComments(path, text).map((comment) => comment.trim());
  const names = declaredNames(path, text).filter((name) => containsEntry(name, entries));
  matches.set(path, { comments, names });
}
const found = new Map([...matches].map(([path, { comments, names }]) => [path, { comments: comments.length, names: names.length }]));

const ceilings = parse(readFileSync(CEILINGS, "utf8"));
const { above, below } = compare(ceilings, found);
for (const { path, kind, ceiling, count } of above)
  console.error(`${path}: ${count} ${kind}, at most ${ceiling}: ${matches.get(path)[kind].join(", ")}`);
if (above.length > 0)
  console.error("Begin a doc comment with a noun, and use the names of scripts/wording/identifiers.md.");
const lowers = process.argv.includes("--lower");
if (lowers) writeFileSync(CEILINGS, format(lower(ceilings, found)));
else if (below.length > 0)
  console.error(`${below.length} ceilings can fall, ${below[0].path} among them: node scripts/wording/check.mjs --lower`);
process.exitCode = above.length > 0 || (below.length > 0 && !lowers) ? 1 : 0;
