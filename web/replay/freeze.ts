import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { versionOf } from "../src/eventlog/versions";
import { storedWalks } from "../src/machines/testing/walks";
import { program } from "../src/sagas/program";
import { type Frozen, type FrozenShapes, recordedPayloads, shapeOf } from "./testing/shapes";
import { statesOf } from "./testing/states";

// Freezes newly recorded types and versions, and changes no frozen one: npm run freeze
const file = new URL("frozen/shapes.json", import.meta.url);
const frozen = JSON.parse(readFileSync(file, "utf8")) as FrozenShapes;
const next: Record<string, readonly Frozen[]> = { ...frozen };

for (const [type, payloads] of await recordedPayloads()) {
  const versions = next[type] ?? [];
  if (versions.length >= versionOf(program, type)) continue;
  const [sample] = payloads.toSorted((one, other) => JSON.stringify(one).length - JSON.stringify(other).length);
  next[type] = [...versions, { fields: shapeOf(payloads), sample }];
  console.log(`${type} ${versions.length + 1}`);
}
const sorted = Object.fromEntries(Object.entries(next).sort(([one], [other]) => (one < other ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`);

const stateFile = new URL("frozen/states.json", import.meta.url);
const versions = JSON.parse(readFileSync(stateFile, "utf8")) as Record<string, unknown>;
const newest = Math.max(0, ...Object.keys(versions).map(Number));
const states = Object.fromEntries(storedWalks.map(([machine, samples]) => [machine.name, statesOf(machine, samples)]));
const changed = isDeepStrictEqual(versions[newest], states) ? newest : newest + 1;
// A slice without a machine may have changed instead: each snapshot version has a sample.
const samples = readdirSync(new URL("../src/session/persist/samples/", import.meta.url));
const version = Math.max(changed, samples.length);
if (version > newest) {
  versions[version] = states;
  writeFileSync(stateFile, `${JSON.stringify(versions, null, 2)}\n`);
  console.log(`states of snapshot version ${version}`);
}
