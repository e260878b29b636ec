import { stateHash } from "./hash";

/** A value that differs between two states. */
export interface PathChange {
  /** Its fields, with an index or an id in brackets: `clip["0195"].at`. */
  readonly path: string;
  /** Absent: there was none. */
  readonly was?: unknown;
  readonly is?: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Maximum number of changes in one list. */
const MAX_CHANGES = 100;

const FIELD = /^[a-z_]\w*$/i;
/** An index or an id in a path. */
const IN_BRACKETS = /\[(?:\d+|"(?:[^"\\]|\\.)*")\]/g;

const pathTo = (path: string, key: string): string => {
  if (!FIELD.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
};

/** The innermost values that differ; a list of another length is one value. */
export function pathChanges(was: unknown, is: unknown): PathChange[] {
  const found: PathChange[] = [];
  collect(was, is, "", found);
  return found;
}

// Equal parts are mostly the same object, and otherwise have cached hashes. `null` isn't equal to no value.
const isEqual = (was: unknown, is: unknown): boolean =>
  Object.is(was, is) || (was !== undefined && is !== undefined && stateHash(was) === stateHash(is));

function collect(was: unknown, is: unknown, path: string, found: PathChange[]): void {
  if (found.length >= MAX_CHANGES || isEqual(was, is)) return;
  if (Array.isArray(was) && Array.isArray(is) && was.length === is.length) {
    for (const [index, item] of was.entries()) collect(item, is[index], `${path}[${index}]`, found);
  } else if (isRecord(was) && isRecord(is)) {
    for (const key of Object.keys({ ...was, ...is }).sort()) collect(was[key], is[key], pathTo(path, key), found);
  } else {
    found.push({ path, ...(was === undefined ? {} : { was }), ...(is === undefined ? {} : { is }) });
  }
}

/** A path without indices and ids, which differ from session to session. */
export const generalPath = (path: string): string => path.replace(IN_BRACKETS, "[*]");

/** Whether a general path is another one, or inside it. */
export const isInside = (path: string, outer: string): boolean =>
  path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`);

/** The slice of a path. */
export const sliceOfPath = (path: string): string => /^\w+/.exec(path)?.[0] ?? path;
