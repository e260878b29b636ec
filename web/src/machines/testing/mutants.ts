import type { State } from "../machine";
import { type AnyCell, cellOf, reachable, walks } from "./walks";

/** How a cell is changed: it leads elsewhere, its move does nothing, or it is not there. */
export type Change = "elsewhere" | "ignored" | "absent";

/** One change of one cell of one machine's table. */
export interface CellMutant {
  readonly machine: string;
  /** `purchase: interrupted × resumed`. */
  readonly cell: string;
  readonly change: Change;
  /** Changes the table, and gives the way back. */
  plant(): () => void;
}

type Row = Record<string, AnyCell>;

/** A cell that takes part in an endless loop ends it after so many moves. */
const MOST_MOVES = 20_000;

export const cellName = (machine: string, at: string, fact: string): string => `${machine}: ${at} × ${fact}`;

/** What hears of each use of a cell. */
export type CellListener = (cell: string) => void;

/** Lets `hear` know each use of each cell of every machine. Gives the way back. */
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

/** Every change of every cell: three of a move, one of an `ignore`. */
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

/** A state that the cell does not lead to; one that is not the state's own, if there is one. */
function elsewhere(states: readonly State[], at: string, to: readonly string[]): State | undefined {
  const others = states.filter((state) => !to.includes(state.at));
  return others.find((state) => state.at !== at) ?? others[0];
}

function counted(move: (state: State) => State): (state: State) => State {
  let moves = 0;
  return (state) => {
    moves += 1;
    if (moves > MOST_MOVES) throw new Error("this cell moves without end");
    return move(state);
  };
}
