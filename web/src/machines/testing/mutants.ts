import type { State } from "../machine";
import { type AnyCell, cellOf, reachable, walks } from "./walks";

/** A mutation of a cell: another target, no effect, or removed. */
export type Change = "elsewhere" | "ignored" | "absent";

/** One mutation of one cell of one machine's table. */
export interface CellMutant {
  readonly machine: string;
  /** `purchase: interrupted × resumed`. */
  readonly cell: string;
  readonly change: Change;
  /** Mutates the table and returns an undo function. */
  plant(): () => void;
}

type Row = Record<string, AnyCell>;

/** Limit that ends an endless loop caused by a mutated cell. */
const MAX_MOVES = 20_000;

const cellName = (machine: string, at: string, fact: string): string => `${machine}: ${at} × ${fact}`;

export type CellListener = (cell: string) => void;

/** Calls `hear` for each use of a cell of any machine. Returns an undo function. */
export function watchCells(hear: CellListener): () => void {
  const undo: (() => void)[] = [];
  for (const [machine] of walks)
    for (const [at, row] of Object.entries(machine.table) as [string, Row][])
      for (const [fact, cell] of Object.entries(row)) {
        const name = cellName(machine.name, at, fact);
        row[fact] = {
          to: cell === "ignore" ? [at] : cell.to,
          move(state, payload) {
            hear(name);
            return cell === "ignore" ? state : cell.move(state, payload);
          },
        };
        undo.push(() => {
          row[fact] = cell;
        });
      }
  return () => {
    for (const back of undo) back();
  };
}

/** Every mutation of every cell: three of a move, one of an `ignore`. */
export function cellMutants(): CellMutant[] {
  return walks.flatMap(([machine, samples]) => {
    const states = reachable(machine, samples);
    return (Object.entries(machine.table) as [string, Row][]).flatMap(([at, row]) =>
      Object.keys(row).flatMap((fact) => {
        const changed = (change: Change, made: () => AnyCell | undefined): CellMutant => ({
          machine: machine.name,
          cell: cellName(machine.name, at, fact),
          change,
          plant() {
            const cell = row[fact];
            if (cell === undefined) throw new Error(`${machine.name}: ${at} has no ${fact}`);
            const put = made();
            if (put === undefined) delete row[fact];
            else row[fact] = put;
            return () => {
              row[fact] = cell;
            };
          },
        });
        const absent = changed("absent", () => undefined);
        const cell = cellOf(machine, at, fact);
        if (cell === undefined || cell === "ignore") return [absent];
        const other = elsewhere(states, at, cell.to);
        return [
          absent,
          changed("ignored", () => ({ to: [at], move: counted((state) => state) })),
          ...(other === undefined
            ? []
            : [changed("elsewhere", () => ({ to: [other.at], move: counted(() => other) }))]),
        ];
      }),
    );
  });
}

/** A state that the cell doesn't lead to, preferably not the state's own. */
function elsewhere(states: readonly State[], at: string, to: readonly string[]): State | undefined {
  const others = states.filter((state) => !to.includes(state.at));
  return others.find((state) => state.at !== at) ?? others[0];
}

function counted(move: (state: State) => State): (state: State) => State {
  let moves = 0;
  return (state) => {
    moves += 1;
    if (moves > MAX_MOVES) throw new Error("this cell moves endlessly");
    return move(state);
  };
}
