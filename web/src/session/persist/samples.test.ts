import { expect, it } from "vitest";
import type { State } from "../../eventlog/envelope";
import { firstState } from "../../eventlog/folding";
import { program } from "../../sagas/program";
import { browserScoped, tabScoped } from "../../slices";
import { SNAPSHOT_VERSION } from "./migrations";
import v1 from "./samples/v1.json";
import v2 from "./samples/v2.json";
import v3 from "./samples/v3.json";
import v4 from "./samples/v4.json";
import { snapshotLocation } from "./snapshots";

/** The frozen output of each released version. A new version adds its own and changes none of these. */
const samples: { readonly [version: number]: State } = { 1: v1, 2: v2, 3: v3, 4: v4 };

const position = { log: "l1", seq: 1 };

/** Slices written by a build of that version, as this build reads them. */
async function readAs(version: number, slices: State | undefined): Promise<State | undefined> {
  const stored = { ...slices, _position: position, _persist: { version, rehydrated: true } };
  const storage = { getItem: async <T>() => stored as T, update: async () => {}, removeItem: async () => {} };
  return (await snapshotLocation({ storage, key: "browser" }).read())?.slices;
}

const read = (version: number): Promise<State | undefined> => readAs(version, samples[version]);

it.each(Object.keys(samples).map(Number))(
  "a snapshot of version %i starts this build without loss",
  async (version) => {
    const slices = await read(version);
    expect(slices && firstState(program, slices)).toMatchObject(slices ?? {});
  },
);

it("the newest sample has every written slice, with its initial fields", async () => {
  const newest: State = (await read(SNAPSHOT_VERSION)) ?? {};
  const initial: State = firstState(program, null);
  expect(Object.keys(newest).sort()).toEqual([...new Set([...browserScoped, ...tabScoped])].sort());
  for (const name of Object.keys(newest)) {
    const slice = initial[name];
    if (Array.isArray(slice) || typeof slice !== "object" || slice === null || "at" in slice) continue;
    // A field was added, removed or renamed: raise SNAPSHOT_VERSION, write its migration, and freeze a new sample.
    const frozen = newest[name] as State;
    expect([name, Object.keys(slice).filter((field) => !(field in frozen))]).toEqual([name, []]);
  }
});

it.each(Object.entries(samples))(
  "a page's own slices of version %s are read without the viewer's",
  async (version, sample) => {
    const pageSlices = Object.fromEntries(Object.entries(sample).filter(([name]) => tabScoped.includes(name)));
    expect(Object.keys((await readAs(Number(version), pageSlices)) ?? {})).toEqual(
      expect.arrayContaining(Object.keys(pageSlices)),
    );
  },
);
