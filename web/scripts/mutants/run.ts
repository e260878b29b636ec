import { type CellMutant, cellMutants, watchCells } from "../../src/machines/testing/mutants";
import { type Test, tests, within } from "./suite";

// Changes one cell at a time in this process, and runs the tests that use the cell until one fails.

/** The runner's messages about one mutant, one line of JSON each. */
export type RunnerMessage =
  | { readonly t: "count"; readonly mutants: number; readonly tests: number }
  | { readonly t: "began"; readonly index: number; readonly mutant: string }
  | { readonly t: "ended"; readonly index: number; readonly mutant: string; readonly end: End }
  /** A failed test left state behind: the rest needs a fresh process. */
  | { readonly t: "spoiled" };

export type End = { readonly by: string } | { readonly by: null; readonly reached: boolean };

const [first = "0", stride = "1"] = process.argv.slice(2);
const TIMEOUT = 30_000;

const report = (told: RunnerMessage): void => void process.stdout.write(`${JSON.stringify(told)}\n`);

const files = import.meta.glob([
  "../../src/sagas/*.test.ts",
  "../../src/machines/*.test.ts",
  "!**/machines/walk.test.ts",
]);

interface SurveyedTest extends Test {
  readonly cells: ReadonlySet<string>;
  readonly took: number;
}

/** Runs each test once on the unchanged tables: its cells and its duration. */
async function survey(): Promise<SurveyedTest[]> {
  const surveyed: SurveyedTest[] = [];
  for (const test of tests) {
    const cells = new Set<string>();
    const unwatch = watchCells((cell) => cells.add(cell));
    const began = performance.now();
    try {
      await test.run();
    } catch (error) {
      throw new Error(`${test.name} fails without any change`, { cause: error });
    } finally {
      unwatch();
    }
    surveyed.push({ ...test, cells, took: performance.now() - began });
  }
  return surveyed.sort((a, b) => a.took - b.took);
}

/** A test that never ends has failed as well. */
async function fails(test: Test): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(true), TIMEOUT);
  });
  const run = Promise.resolve()
    .then(() => test.run())
    .then(
      () => false,
      () => true,
    );
  const failed = await Promise.race([run, late]);
  clearTimeout(timer);
  return failed;
}

async function judge(mutant: CellMutant, surveyed: readonly SurveyedTest[]): Promise<End> {
  const concerned = surveyed.filter(({ cells }) => cells.has(mutant.cell));
  const mend = mutant.plant();
  try {
    for (const test of concerned) if (await fails(test)) return { by: test.name };
  } finally {
    mend();
  }
  return { by: null, reached: concerned.length > 0 };
}

for (const [file, load] of Object.entries(files)) await within(file.replace("../../src/", ""), load);
const surveyed = await survey();
const mutants = cellMutants();
report({ t: "count", mutants: mutants.length, tests: surveyed.length });

for (let index = Number(first); index < mutants.length; index += Number(stride)) {
  const mutant = mutants[index] as CellMutant;
  const name = `${mutant.cell} ${mutant.change}`;
  report({ t: "began", index, mutant: name });
  const end = await judge(mutant, surveyed);
  report({ t: "ended", index, mutant: name, end });
  const sound = surveyed.find(({ cells }) => cells.size > 0);
  if (end.by !== null && sound !== undefined && (await fails(sound))) {
    report({ t: "spoiled" });
    break;
  }
}
process.exit(0);
