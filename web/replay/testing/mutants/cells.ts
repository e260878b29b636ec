import { parseLog } from "../../../src/eventlog/parse";
import { replayReducers } from "../../../src/eventlog/replay-reducers";
import { program } from "../../../src/sagas/program";
import { tables } from "./tables";

/** One cell of a machine's table. */
export interface Cell {
  readonly machine: string;
  readonly state: string;
  readonly fact: string;
  readonly isIgnored: boolean;
}

export const cellName = ({ machine, state, fact }: Pick<Cell, "machine" | "state" | "fact">): string =>
  `${machine}: ${state} × ${fact}`;

/** Every existing cell. */
export const cells: readonly Cell[] = tables.flatMap(({ name: machine, table }) =>
  Object.entries(table).flatMap(([state, row]) =>
    Object.entries(row).map(([fact, cell]) => ({ machine, state, fact, isIgnored: cell === "ignore" })),
  ),
);

type Move = (state: unknown, fact: unknown) => unknown;

/** The logs that reach each cell: the cells are instrumented, then the logs are folded. */
export function cellsReached(logs: Readonly<Record<string, string>>): Map<string, string[]> {
  const reached = new Map<string, string[]>();
  let log = "";
  for (const { name: machine, table } of tables) {
    for (const [state, row] of Object.entries(table) as [string, Record<string, unknown>][]) {
      for (const [fact, cell] of Object.entries(row)) {
        const move: Move = cell === "ignore" ? (now) => now : (cell as { move: Move }).move;
        const name = cellName({ machine, state, fact });
        row[fact] = {
          to: [],
          move: (now: unknown, told: unknown) => {
            const by = reached.get(name) ?? [];
            if (by.at(-1) !== log) reached.set(name, [...by, log]);
            return move(now, told);
          },
        };
      }
    }
  }
  for (const [name, text] of Object.entries(logs)) {
    log = name;
    replayReducers(program, parseLog(text));
  }
  return reached;
}
