/**
 * A cell of a machine's table.
 *
 * - `{ to, move }`: the fact moves the state; `to` names every state that `move` may return (the diagram uses it).
 * - `"ignore"`: expected here and harmless.
 * - absent: can't happen here. If it does, it is a defect: it throws in tests and is reported in production.
 */
export type Cell<S extends State, A extends S["at"], F> =
  | "ignore"
  | { readonly to: readonly S["at"][]; readonly move: (state: Extract<S, { at: A }>, fact: F) => S };

/** States are a union discriminated by `at`. */
export interface State {
  readonly at: string;
}

/** Rows are states, columns are facts. */
export type Table<S extends State, Facts> = {
  readonly [A in S["at"]]: { readonly [F in keyof Facts]?: Cell<S, A, Facts[F]> };
};

/** A process: its initial state and its transitions. Pure: no clock, randomness or calls. */
export interface Machine<S extends State, Facts> {
  readonly name: string;
  readonly initial: S;
  readonly table: Table<S, Facts>;
  /** Every fact that some row names, in order of first mention. */
  readonly facts: readonly (keyof Facts & string)[];
}

/** Builds a machine from its table. `Facts` maps a fact's name to its payload. */
export function defineMachine<S extends State, Facts>(
  name: string,
  initial: S,
  table: Table<S, Facts>,
): Machine<S, Facts> {
  const rows: readonly object[] = Object.values(table);
  const facts = [...new Set(rows.flatMap((row) => Object.keys(row)))] as (keyof Facts & string)[];
  return { name, initial, table, facts };
}

/** A fact that its machine's table doesn't expect. */
export class AbsentMoveError extends Error {
  constructor(
    readonly machine: string,
    readonly state: string,
    readonly fact: string,
  ) {
    super(`${machine}: no move from ${state} on ${fact}`);
    this.name = "AbsentMoveError";
  }
}

type AbsentMoveListener = (error: AbsentMoveError) => void;
let listener: AbsentMoveListener | null = null;

/** Sets the listener for absent moves: tests throw, the app reports, null ignores. Returns the previous one. */
export function onAbsentMove(next: AbsentMoveListener | null): AbsentMoveListener | null {
  const before = listener;
  listener = next;
  return before;
}

/** Returns the state after `fact`. */
export function step<S extends State, Facts, F extends keyof Facts & string>(
  machine: Machine<S, Facts>,
  state: S,
  fact: F,
  payload: Facts[F],
): S {
  // The row belongs to the state's own `at`, so its cells accept this state.
  const row = machine.table[state.at as S["at"]] as { readonly [N in keyof Facts]?: Cell<S, never, Facts[N]> };
  const cell = row[fact];
  if (cell === undefined) {
    listener?.(new AbsentMoveError(machine.name, state.at, fact));
    return state;
  }
  return cell === "ignore" ? state : cell.move(state as never, payload);
}
