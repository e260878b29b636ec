import type { Person } from "./people";
import type { State } from "./state";

/** A request as an operation receives it. */
export interface Request {
  readonly state: State;
  /** The request's API key. */
  readonly key: string;
  /** The user signed in with that key. */
  readonly person: Person | null;
  readonly params: { readonly [name: string]: string };
  readonly query: URLSearchParams;
  readonly body: Body;
  readonly idempotencyKey: string | null;
}

/** The document's schema validates it before an operation reads it. */
// oxlint-disable-next-line typescript/no-explicit-any -- the schema of the call decides the shape.
export type Body = { readonly [name: string]: any };

/** An answer's `data`; a list is paged as the query requests. */
export type Operation = (request: Request) => unknown;
export type Operations = { readonly [operation: string]: Operation };

/** A refusal by the channel. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly more: object = {},
  ) {
    super(message);
  }
}

export function refuse(status: number, code: string, message: string, field?: string): never {
  throw new Refusal(status, code, message, field === undefined ? {} : { errors: { [field]: [message] } });
}

export const notFound = (): never => refuse(404, "not_found", "Not found.");

/** The signed-in user; refuses a request without one. */
export const personOf = ({ person }: Request): Person => person ?? refuse(401, "unauthenticated", "Unauthenticated.");

export const DONE = { ok: true };
