import { expect, it } from "vitest";
import { storedWalks } from "../src/machines/testing/walks";
import { SNAPSHOT_VERSION } from "../src/session/persist/migrations";
import frozen from "./frozen/states.json";
import { statesOf } from "./testing/states";

/** The shape of each machine's states, by snapshot version. */
const versions: Readonly<Record<string, Readonly<Record<string, unknown>>>> = frozen;

it("the states of every stored machine are frozen under the current snapshot version", () => {
  expect(Math.max(...Object.keys(versions).map(Number))).toBe(SNAPSHOT_VERSION);
  expect(Object.keys(versions[SNAPSHOT_VERSION] ?? {})).toEqual(storedWalks.map(([{ name }]) => name));
});

// A field was added, removed or renamed: raise SNAPSHOT_VERSION, write its migration, and freeze the states of the new
// version beside those of the old ones: npm run freeze
it.each(storedWalks.map(([machine, samples]) => ({ name: machine.name, machine, samples })))(
  "the states of $name have the stored fields: to change them, raise the snapshot version and write a migration",
  ({ name, machine, samples }) => {
    expect(statesOf(machine, samples)).toEqual(versions[SNAPSHOT_VERSION]?.[name]);
  },
);
