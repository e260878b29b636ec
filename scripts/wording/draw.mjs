// node scripts/wording/draw.mjs [COMMIT]: draws texts, comments, commit subjects, identifiers, pages and API summaries for a
// reader who marks what a native engineer would rewrite. The seed is the hash of the last commit, so a draw can be repeated.
// Subjects are those after COMMIT.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { declaredNames } from "./count.mjs";

const root = join(import.meta.dirname, "../..");
const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 }).trim().split("\n");
const read = (path) => readFileSync(join(root, path), "utf8");
const seed = git("rev-parse", "HEAD")[0];
const files = git("ls-files");
const sources = files.filter((path) => /^(worker|web|scripts|fixtures)\/.*\.(rs|tsx?|m?js)$/.test(path));

const rank = (kind, item) => createHash("sha256").update(`${seed} ${kind} ${item}`).digest("hex");
function draw(kind, items, count) {
  const ranked = [...new Set(items)].map((item) => [rank(kind, item), item]).sort();
  console.log(`\n## ${kind}: ${Math.min(count, ranked.length)} of ${ranked.length}\n`);
  for (const [, item] of ranked.slice(0, count)) console.log(`- ${item.replaceAll("\n", " ")}`);
}

const STRING = /"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\])*)`/g;
/** Strings of at least two words. */
const sentences = (text) =>
  [...text.matchAll(STRING)].map(([, plain, template]) => plain ?? template ?? "").filter((one) => /[a-zà-ÿ’']+ [a-zà-ÿ]+/i.test(one));
const withoutTests = (text) => text.split("#[cfg(test)]")[0];
const TEXTS = [/^web\/src\/i18n\/(en|fr)\//, /^worker\/.*\/src\/(?!.*tests?\.rs)/];
const texts = sources.filter((path) => TEXTS.some((one) => one.test(path)) && !/\.test\./.test(path));
const summaries = Object.entries(JSON.parse(read("docs/openapi.json")).paths).flatMap(([path, calls]) =>
  Object.entries(calls).map(([method, { summary, description }]) => `${method} ${path}: ${[summary, description].filter(Boolean).join(" | ")}`),
);
const comments = (path) => (read(path).match(/(?:^[ \t]*\/\/[^\n]*\n)+|\/\*\*?[\s\S]*?\*\//gm) ?? []).map((one) => `${path}: ${one.replace(/\s*\n\s*/g, " ").trim()}`);

console.log(`# Draw of ${seed}`);
draw("texts", texts.flatMap((path) => sentences(withoutTests(read(path)).replace(/^\s*\/\/.*$/gm, ""))), 300);
draw("comments", sources.flatMap(comments), 100);
draw("subjects", git("log", "--format=%s", process.argv[2] ? `${process.argv[2]}..HEAD` : "HEAD"), 60);
draw("identifiers", sources.flatMap((path) => declaredNames(path, read(path)).filter((name) => name.length > 2)), 300);
draw("pages", files.filter((path) => /^(README|CONTRIBUTING|docs\/.*)\.md$/.test(path)), 20);
draw("summaries", summaries, 40);
