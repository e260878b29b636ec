import { parseLog } from "../../src/eventlog/parse";
import { recordAll } from "./recordings";

/** The common shape of one type's payloads: each field's types, with a `?` for optional ones. */
export type Shape = Readonly<Record<string, string>>;

/** One version of a type, as frozen. */
export interface Frozen {
  readonly fields: Shape;
  /** The shortest recorded payload. */
  readonly sample: unknown;
}

/** The versions of each action type and port method, oldest first. */
export type FrozenShapes = Readonly<Record<string, readonly Frozen[]>>;

/** The field name for a payload that isn't a record. */
const ITSELF = "";

const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "list" : typeof value === "object" ? "record" : typeof value;

const fieldsOf = (payload: unknown): Readonly<Record<string, unknown>> =>
  typeOf(payload) === "record" ? (payload as Record<string, unknown>) : { [ITSELF]: payload };

/** The common shape of all these payloads. */
export function shapeOf(payloads: readonly unknown[]): Shape {
  const records = payloads.map(fieldsOf);
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))].sort();
  return Object.fromEntries(
    names.map((name) => {
      const having = records.filter((record) => name in record);
      const types = [...new Set(having.map((record) => typeOf(record[name])))].sort().join("|");
      return [name, having.length < records.length ? `${types}?` : types];
    }),
  );
}

const isAlways = (types: string | undefined): boolean => types !== undefined && !types.endsWith("?");
const typesOf = (types: string): string[] => types.replace("?", "").split("|");

/** The fields of a payload of `before` that a reader of `now` would miss or misread. */
export function broken(before: Shape, now: Shape): string[] {
  return Object.keys({ ...before, ...now }).flatMap((name) => {
    const [old, present] = [before[name], now[name]];
    if (old === undefined) return isAlways(present) ? [`${name} is new`] : [];
    if (present === undefined) return [`${name} is missing`];
    if (isAlways(old) && !isAlways(present)) return [`${name} is optional`];
    const isShared = typesOf(old).some((type) => typesOf(present).includes(type));
    return isShared ? [] : [`${name} was ${old} and is ${present}`];
  });
}

/**
 * The payloads of every action and of every answer that is a record, by type: from the logs without unexpected actions.
 */
export async function recordedPayloads(): Promise<Map<string, unknown[]>> {
  const found = new Map<string, unknown[]>();
  const logs = Object.entries(await recordAll()).filter(([name]) => !name.startsWith("corners-"));
  for (const { kind, type, payload: recorded } of logs.flatMap(([, text]) => parseLog(text).lines)) {
    if (kind !== "action" && kind !== "effect") continue;
    if (kind === "effect" && !("ok" in recorded)) continue;
    const payload = kind === "effect" && "ok" in recorded ? recorded.ok : recorded;
    if (kind === "effect" && typeOf(payload) !== "record") continue;
    const met = found.get(type) ?? [];
    found.set(type, met);
    met.push(payload);
  }
  return found;
}
