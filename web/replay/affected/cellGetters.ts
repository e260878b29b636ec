import { parseSync } from "vite";
import { type Node, walk } from "../syntax";

/** The tables of the machines that a module defines. */
function tablesIn(module: Node): Node[] {
  const tables: Node[] = [];
  walk(module, ({ type, callee, arguments: args }) => {
    const isMachine = type === "CallExpression" && (callee as { name?: unknown }).name === "defineMachine";
    const table = isMachine ? (args as readonly Node[])[2] : undefined;
    if (table) tables.push(table);
  });
  return tables;
}

const propertiesOf = (node: Node): Node[] =>
  node.type === "ObjectExpression"
    ? (node.properties as readonly Node[]).filter(({ type }) => type === "Property")
    : [];

/**
 * The text of a module whose machines read each cell of their tables with a getter: the profiler counts calls, and a
 * table is a value that every session creates. Line numbers stay the same.
 */
export function withCellGetters(file: string, text: string): string {
  if (!text.includes("defineMachine")) return text;
  const tables = tablesIn(parseSync(file, text).program as unknown as Node);
  const cells = tables.flatMap(propertiesOf).flatMap((row) => propertiesOf(row.value as Node));
  let result = "";
  let end = 0;
  for (const cell of cells) {
    const [key, value] = [cell.key as Node, cell.value as Node];
    if (cell.computed || cell.method || cell.kind !== "init") continue;
    const name = text.slice(key.start, key.end);
    const between = cell.shorthand ? "" : text.slice(key.end, value.start).replace(":", "");
    result += `${text.slice(end, cell.start)}get ${name}() { return (${between}${text.slice(value.start, value.end)}); }`;
    end = cell.end;
  }
  return result + text.slice(end);
}
