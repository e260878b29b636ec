import type { Cell, State } from "./machine";

/** The subset of a machine that the page uses, independent of its states and facts. */
export interface DiagramMachine {
  readonly name: string;
  readonly initial: State;
  readonly table: object;
  readonly facts: readonly string[];
}

type Row = Readonly<Record<string, Cell<State, string, unknown>>>;

const rowsOf = ({ table }: DiagramMachine): [at: string, row: Row][] => Object.entries(table as Record<string, Row>);

/** Moves between two states, drawn as one arrow with all their facts. A move that may also stay is drawn for both. */
function arrows(machine: DiagramMachine): string[] {
  const facts = new Map<string, string[]>();
  for (const [from, row] of rowsOf(machine))
    for (const [fact, cell] of Object.entries(row)) {
      if (cell === "ignore") continue;
      for (const to of cell.to) facts.set(`${from} --> ${to}`, [...(facts.get(`${from} --> ${to}`) ?? []), fact]);
    }
  return [...facts].map(([arrow, names]) => `    ${arrow}: ${names.join(", ")}`);
}

const cellText = (cell: Cell<State, string, unknown> | undefined): string => {
  if (cell === undefined) return "";
  return cell === "ignore" ? "·" : cell.to.join(", ");
};

function section(machine: DiagramMachine): string {
  const rows = rowsOf(machine);
  const states = rows.map(([at]) => at);
  const table = machine.facts.map(
    (fact) => `| \`${fact}\` | ${rows.map(([, row]) => cellText(row[fact])).join(" | ")} |`,
  );
  return [
    `## ${machine.name}`,
    "",
    "```mermaid",
    "stateDiagram-v2",
    `    [*] --> ${machine.initial.at}`,
    ...arrows(machine),
    "```",
    "",
    `| fact | ${states.join(" | ")} |`,
    `|---|${states.map(() => "---").join("|")}|`,
    ...table,
    "",
  ].join("\n");
}

/** The content of docs/machines.md. */
export const machinesPage = (machines: readonly DiagramMachine[]): string =>
  [
    "# Machines",
    "",
    "Generated from the tables in `web/src/machines` by `npm --prefix web run machines`; not tracked.",
    "A cell names the states that a fact may lead to. `·` means that the fact is expected and changes nothing.",
    "An empty cell cannot happen: it throws in tests and is reported in production.",
    "Each state's data is documented beside its table.",
    "",
    "`npm --prefix web run mutants:machines` changes every cell, one at a time, and lists the changes that no invariant",
    "and no saga test detects, not counting the test that walks the tables themselves.",
    "",
    ...machines.map(section),
  ].join("\n");
