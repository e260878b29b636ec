/** A node of a module's syntax tree. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";

export function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  for (const child of Object.values(node)) {
    if (Array.isArray(child)) for (const one of child) if (isNode(one)) walk(one, visit);
    if (isNode(child)) walk(child, visit);
  }
}
