import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cellName, cells, cellsReached } from "./testing/mutants/cells";
import { openBundler, openMutantThread, type TimeoutOf, timeoutFor } from "./testing/mutants/lab";
import { type Mutant, mutantsIn, mutated, telling } from "./testing/mutants/statements";
import { recordAll } from "./testing/recordings";

// Breaks the product, one table cell, reducer condition or saga statement at a time, and counts the mutants that the
// recorded logs detect.
// npm run mutants [-- cells reducers sagas]: all three, or those named; exit status 1 when too few are reached or
// caught.

const CELLS_REACHED = 0.9;
const CAUGHT = 0.95;

const selected = process.argv.slice(2);
const isSelected = (part: string): boolean => selected.length === 0 || selected.includes(part);

const logs = Object.fromEntries(
  // The shortest first: most mutants are caught by any log that reaches them.
  Object.entries(await recordAll()).sort(([, one], [, other]) => one.length - other.length),
);
// Inside the package, so that the bundles find its modules.
const work = mkdtempSync(fileURLToPath(new URL("../node_modules/.mutants-", import.meta.url)));

const bundler = await openBundler();

interface Score {
  readonly of: number;
  readonly reached: number;
  readonly survivors: readonly string[];
}

const share = (part: number, whole: number): string => `${part} of ${whole} (${((100 * part) / whole).toFixed(1)} %)`;

/** Replays each log with the unchanged product; returns the timeout for its mutants. */
async function timeProduct(file: string): Promise<TimeoutOf> {
  const lab = openMutantThread(file, { logs });
  const took = new Map<string, number>();
  for (const log of Object.keys(logs)) {
    const began = performance.now();
    const { caughtBy } = await lab.try({ logs: [log] });
    if (caughtBy !== null) throw new Error(`the unchanged product: ${caughtBy}`);
    took.set(log, performance.now() - began);
  }
  await lab.close();
  return timeoutFor(took);
}

async function tryCells(file: string, timeout: TimeoutOf): Promise<Score> {
  const lab = openMutantThread(file, { logs }, timeout);
  const reachedBy = cellsReached(logs);
  const survivors: string[] = [];
  for (const cell of cells) {
    const by = reachedBy.get(cellName(cell));
    if (!by) continue;
    const { machine, state, fact } = cell;
    const to = cell.isIgnored ? "elsewhere" : "ignore";
    const { caughtBy } = await lab.try({ logs: by, cell: { machine, state, fact, to } });
    if (caughtBy === null) survivors.push(`${cellName(cell)} → ${to}`);
  }
  await lab.close();
  const missed = cells.map(cellName).filter((name) => !reachedBy.has(name));
  console.log(`cells that no log reaches:\n${missed.map((name) => `  ${name}`).join("\n") || "  none"}`);
  return { of: cells.length, reached: reachedBy.size, survivors };
}

/** The logs that reach each statement. */
async function statementsReached(mutants: readonly Mutant[]): Promise<Map<number, string[]>> {
  const file = join(work, "telling.mjs");
  const places = mutants.map((mutant, index) => [String(index), mutant] as const);
  await bundler.bundle(file, (name, text) =>
    telling(
      text,
      places.filter(([, mutant]) => mutant.file === name),
    ),
  );
  const lab = openMutantThread(file, { logs });
  const reached = new Map<number, string[]>();
  for (const log of Object.keys(logs)) {
    const tried = await lab.try({ logs: [log] });
    // An empty trial would look like unreached sagas.
    if (tried.caughtBy !== null) throw new Error(`the instrumented sagas: ${tried.caughtBy}`);
    for (const id of tried.reached) reached.set(Number(id), [...(reached.get(Number(id)) ?? []), log]);
  }
  await lab.close();
  return reached;
}

async function tryStatements(mutants: readonly Mutant[], timeout: TimeoutOf): Promise<Score> {
  const reached = await statementsReached(mutants);
  const survivors: string[] = [];
  for (const [index, by] of reached) {
    const mutant = mutants[index] as Mutant;
    const file = join(work, `mutant-${index}.mjs`);
    await bundler.bundle(file, (name, text) => (name === mutant.file ? mutated(text, mutant) : text));
    const lab = openMutantThread(file, { logs }, timeout);
    const { caughtBy } = await lab.try({ logs: by });
    await lab.close();
    rmSync(file);
    if (caughtBy === null) survivors.push(mutant.title);
  }
  return { of: mutants.length, reached: reached.size, survivors };
}

function report(title: string, { of, reached, survivors }: Score): void {
  console.log(`${title}: ${share(reached, of)} reached, ${share(reached - survivors.length, reached)} of these caught`);
  for (const survivor of survivors) console.log(`  survived: ${survivor}`);
}

try {
  const product = join(work, "product.mjs");
  await bundler.bundle(product, (_name, text) => text);
  const timeout = await timeProduct(product);
  const scores: Score[] = [];
  let isEnoughReached = true;
  if (isSelected("cells")) {
    const inCells = await tryCells(product, timeout);
    isEnoughReached = inCells.reached >= CELLS_REACHED * inCells.of;
    report("table cells", inCells);
    scores.push(inCells);
  }
  for (const [part, room, title] of [
    ["reducers", "slices", "conditions of reducers"],
    ["sagas", "sagas", "saga statements"],
  ] as const) {
    if (!isSelected(part)) continue;
    const score = await tryStatements(mutantsIn(room), timeout);
    report(title, score);
    scores.push(score);
  }
  const reached = scores.reduce((sum, score) => sum + score.reached, 0);
  const caught = reached - scores.reduce((sum, { survivors }) => sum + survivors.length, 0);
  console.log(`all reached mutants: ${share(caught, reached)} caught`);
  if (!isEnoughReached || caught < CAUGHT * reached) process.exitCode = 1;
} finally {
  await bundler.close();
  rmSync(work, { recursive: true });
}
