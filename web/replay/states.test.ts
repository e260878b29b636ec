import { expect, it } from "vitest";
import { SNAPSHOT_VERSION } from "../src/app/persist/migrations";
import type { State } from "../src/machines/machine";
import { reachable, walks } from "../src/machines/testing/walks";
import frozen from "./frozen/states.json";
import { shapeOf } from "./testing/shapes";

/** The fields of a state and of the records in it, each by its path. */
const flat = (record: object, path = ""): [string, unknown][] =>
  Object.entries(record).flatMap(([name, value]) =>
    typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
      ? flat(value, `${path}${name}.`)
      : [[path + name, value]],
  );

const shapesOf = (states: readonly State[]) =>
  Object.fromEntries(
    [...new Set(states.map(({ at }) => at))].sort().map((at) => {
      const standing = states.filter((state) => state.at === at);
      return [at, shapeOf(standing.map((state) => Object.fromEntries(flat(state))))];
    }),
  );

/** The shape of each state of each machine, by the version of the snapshots that hold it. */
const versions: Readonly<Record<string, Readonly<Record<string, unknown>>>> = frozen;

it("freezes the states of every machine", () => {
  expect(Object.keys(versions[SNAPSHOT_VERSION] ?? {})).toEqual(walks.map(([{ name }]) => name));
});

// A field that came, went or was renamed: raise SNAPSHOT_VERSION, write its migration, and freeze the states of the new
// version beside those of the old ones.
it.each(walks.map(([machine, samples]) => ({ name: machine.name, machine, samples })))(
  "the states of $name have the fields that stored ones have: for others, raise the snapshot version and write a migration",
  ({ name, machine, samples }) => {
    expect(shapesOf(reachable(machine, samples))).toEqual(versions[SNAPSHOT_VERSION]?.[name]);
  },
);
