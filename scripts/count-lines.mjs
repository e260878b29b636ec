#!/usr/bin/env node
// Counts the lines of each folder without tests, and the bytes of the tree: scripts/count-lines.mjs [COMMIT]
import { execFileSync } from "node:child_process";

const commit = process.argv[2] ?? "HEAD";
const git = (...args) => execFileSync("git", args, { maxBuffer: 1 << 28, encoding: "utf8" });

const isTest = (path) => /(^|\/)(tests|testing|benches|fuzz|e2e|journeys)\/|(^|[./])tests?\.(rs|tsx?)$|_tests?\.rs$/.test(path);
const folderOf = (path) =>
  path.match(/^(worker\/[^/]+|web\/src\/[^/]+|web\/(?:sw|replay|lint|codegen|scripts|bench|peers))\//)?.[1] ?? null;

const lines = new Map();
let bytes = 0;
for (const entry of git("ls-tree", "-r", "-l", commit).trimEnd().split("\n")) {
  const [, blob, size, path] = entry.match(/^\S+ \S+ (\S+)\s+(\S+)\t(.*)$/) ?? [];
  if (path === undefined) continue;
  bytes += Number(size) || 0;
  const folder = folderOf(path);
  if (folder === null || isTest(path) || !/\.(rs|tsx?|m?js|css)$/.test(path)) continue;
  const text = git("cat-file", "blob", blob);
  // The unit tests of a Rust file are at its end.
  const [code] = path.endsWith(".rs") ? text.split(/^#\[cfg\(test\)\]\nmod tests \{/m) : [text];
  lines.set(folder, (lines.get(folder) ?? 0) + code.split("\n").length - 1);
}
for (const [folder, count] of [...lines].sort()) console.log(`${String(count).padStart(7)} ${folder}`);
console.log(`${String([...lines.values()].reduce((sum, count) => sum + count, 0)).padStart(7)} lines`);
console.log(`${(bytes / 1e6).toFixed(2).padStart(7)} MB tracked`);
