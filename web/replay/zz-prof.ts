import { readdirSync, readFileSync } from "node:fs";
import { parseLog } from "../src/eventlog/parse";
import { replayReducers } from "../src/eventlog/replay-reducers";
import { hearAbsentMoves } from "../src/machines/machine";
import { program } from "../src/sagas/program";

hearAbsentMoves(null);
const folder = new URL("../../fixtures/logs/", import.meta.url);
const names = readdirSync(folder).filter((f) => f.endsWith(".jsonl"));
const logs = names.map((f) => parseLog(readFileSync(new URL(f, folder), "utf8")));
const n = logs.reduce((s, l) => s + l.lines.filter((x) => x.kind === "action").length, 0);
let best = 1e9;
for (let i = 0; i < 15; i++) {
  const b = performance.now();
  for (const l of logs) replayReducers(program, l);
  const t = performance.now() - b;
  best = Math.min(best, t);
}
console.log(n, best, Math.round((n / best) * 1000));
const per = names.map((name, i) => {
  let b = 1e9;
  for (let k = 0; k < 5; k++) {
    const s = performance.now();
    replayReducers(program, logs[i]!);
    b = Math.min(b, performance.now() - s);
  }
  return [name, logs[i]!.lines.length, b.toFixed(2)];
});
console.log(
  per
    .sort((a, b) => Number(b[2]) - Number(a[2]))
    .slice(0, 8)
    .join("\n"),
);
