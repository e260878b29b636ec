import type { CallOrigin } from "../ports/world";
import type { Line } from "./envelope";

/** The log's view of a port's methods; `ports/world` has the product's. */
export type MethodTable = Readonly<Record<string, { readonly origin: CallOrigin; identity(args: never): string }>>;

/** Identities in call names are cut to this length. */
const IDENTITY_LIMIT = 120;

/** Names calls `<method>:<identity>#<n>`, where `n` counts the calls of that method and identity since page load. */
export interface CallNames {
  next(method: string, identity: string): string;
  /** Number of calls per `<method>:<identity>` of the open calls. */
  counters(open: readonly string[]): Record<string, number>;
}

/**
 * Counters of the open calls. A snapshot has no others: an identity may be a search, and a snapshot may start the
 * recording of another viewer (LOG-4).
 */
export function countersOf(
  counters: Readonly<Record<string, number>>,
  open: readonly string[],
): Record<string, number> {
  const names = new Set(open.map(baseOf));
  return Object.fromEntries(Object.entries(counters).filter(([name]) => names.has(name)));
}

/** A call's name without its number: `<method>:<identity>`. */
export const baseOf = (call: string): string => call.slice(0, call.lastIndexOf("#"));

/** The method of a call's name. */
export const methodOf = (call: string): string => call.slice(0, call.indexOf(":"));

export const isTimer = (methods: MethodTable, call: string): boolean => methods[methodOf(call)]?.origin === "timer";

/** The calls that a line names. */
export function callsOf(line: Line): readonly string[] {
  if (line.kind === "effect") return [line.call];
  return line.kind === "checkpoint" || line.kind === "snapshot" ? line.payload.open : [];
}

/** Continues from `counters`. */
export function createCallNames(counters: Readonly<Record<string, number>> = {}): CallNames {
  const counts = new Map(Object.entries(counters));
  return {
    next(method, identity) {
      const base = `${method}:${identity.slice(0, IDENTITY_LIMIT)}`;
      const count = (counts.get(base) ?? 0) + 1;
      counts.set(base, count);
      return `${base}#${count}`;
    },
    counters: (open) => countersOf(Object.fromEntries(counts), open),
  };
}

/** Distinguishes this call from others of its method. Unknown methods or arguments never throw into a saga. */
export function identityOf(methods: MethodTable, method: string, args: object): string {
  try {
    return String(methods[method]?.identity(args as never) ?? "");
  } catch {
    return "";
  }
}

/** Types, and methods in call names, of the two draws that are answered within the turn. */
export const DRAW = "draw";
export const NEW_ID = "newId";
