import { chai, JestAsymmetricMatchers, JestChaiExpect, JestExtend } from "@vitest/expect";

// Replaces "vitest" in the runner's bundle: the same tests, one by one, without a process for each file.

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

export const expect = chai.expect;

/** One test of one file. */
export interface Test {
  readonly name: string;
  run(): unknown;
}

export const tests: Test[] = [];
const path: string[] = [];

type Body = (...args: never[]) => unknown;

/** Prefixes tests registered within `body` with `name`. */
export function within(name: string, body: () => unknown): unknown {
  path.push(name);
  const done = body();
  const leave = () => void path.pop();
  if (done instanceof Promise) return done.then(leave);
  leave();
  return undefined;
}

const register = (name: string, run: () => unknown): void => {
  tests.push({ name: [...path, name].join(" > "), run });
};

const rowsOf = (row: unknown): never[] => (Array.isArray(row) ? row : [row]) as never[];
const named = (name: string, row: unknown): string => `${name} ${JSON.stringify(row)}`;

export const it = Object.assign((name: string, run: Body, _timeout?: number) => register(name, run as () => unknown), {
  each:
    (rows: readonly unknown[]) =>
    (name: string, run: Body): void => {
      for (const row of rows) register(named(name, row), () => run(...rowsOf(row)));
    },
});
export const test = it;

export const describe = Object.assign((name: string, body: Body) => void within(name, body as () => unknown), {
  each:
    (rows: readonly unknown[]) =>
    (name: string, body: Body): void => {
      for (const row of rows) within(named(name, row), () => body(...rowsOf(row)));
    },
});
