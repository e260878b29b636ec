import type { CallOrigin } from "../ports/ask";

/** What the log must know of a port's methods; `ports/ask` has the product's. */
export type MethodTable = Readonly<Record<string, { readonly origin: CallOrigin; identity(args: never): string }>>;

/** The longest identity that a call's name repeats. */
const IDENTITY_LIMIT = 120;

/** Names calls `<method>:<identity>#<n>`, where `n` counts the calls of that method and identity since page load. */
export interface CallNames {
  next(method: string, identity: string): string;
  /** How often each `<method>:<identity>` was named. */
  counters(): Record<string, number>;
}

/** Starts naming, after the calls that `counters` tells of. */
export function createCallNames(counters: Readonly<Record<string, number>> = {}): CallNames {
  const counts = new Map(Object.entries(counters));
  return {
    next(method, identity) {
      const base = `${method}:${identity.slice(0, IDENTITY_LIMIT)}`;
      const count = (counts.get(base) ?? 0) + 1;
      counts.set(base, count);
      return `${base}#${count}`;
    },
    counters: () => Object.fromEntries(counts),
  };
}

/** What tells this call from others of its method. A method or arguments unknown to the table never throw into a saga. */
export function identityOf(methods: MethodTable, method: string, args: object): string {
  try {
    return String(methods[method]?.identity(args as never) ?? "");
  } catch {
    return "";
  }
}

/** The types, and the methods in call names, of the two draws that are answered within the turn. */
export const DRAW = "draw";
export const NEW_ID = "newId";
