import type { ActionLine, EffectLine, Line } from "./envelope";
import { type History, versionOf } from "./versions";

/** An action carried by another. */
export interface Carried {
  readonly type: string;
  /** The payload's shape version; absent: 1. */
  readonly type_version?: number;
  readonly payload?: unknown;
}

/**
 * The type and version written by a newer build, in the line or a carried action; undefined if this build knows all.
 */
export function newerThan(history: History, line: Line): { type: string; version: number } | undefined {
  if (line.kind !== "action" && line.kind !== "effect") return undefined;
  const isNewer = ({ type, type_version = 1 }: Carried): boolean => type_version > versionOf(history, type);
  const carried = line.kind === "action" ? carriedBy(history, line.type, line.payload) : [];
  const newer = isNewer(line) ? line : carried.find(isNewer);
  return newer && { type: newer.type, version: newer.type_version ?? 1 };
}

/** Converts the line to this build's shape. */
export function upcast(history: History, line: Line): Line {
  if (line.kind === "action") return upcastAction(history, line);
  if (line.kind === "effect") return upcastAnswer(history, line);
  return line;
}

/** Converts a carried action to this build's shape. */
export function upcastCarried(history: History, carried: Carried): Carried {
  const { type, type_version = 1 } = carried;
  const present = versionOf(history, type);
  if (type_version >= present) return carried;
  return { ...carried, type_version: present, payload: upcastFrom(history, type, type_version, carried.payload) };
}

const upcastFrom = ({ upcasters }: History, type: string, from: number, payload: unknown): unknown =>
  (upcasters?.[type] ?? []).slice(from - 1).reduce((value, step) => step(value), payload);

function carriedBy({ carriers }: History, type: string, payload: unknown): readonly Carried[] {
  const field = carriers?.[type];
  if (field === undefined) return [];
  const listed = (payload as Readonly<Record<string, unknown>> | null)?.[field];
  return Array.isArray(listed) ? listed : [];
}

function upcastAction(history: History, line: ActionLine): ActionLine {
  const { type } = line;
  const type_version = Math.max(line.type_version, versionOf(history, type));
  const payload = upcastFrom(history, type, line.type_version, line.payload);
  const carried = carriedBy(history, type, payload);
  if (carried.length === 0) return type_version === line.type_version ? line : { ...line, type_version, payload };
  const field = history.carriers?.[type] ?? "";
  const modern = carried.map((one) => upcastCarried(history, one));
  return { ...line, type_version, payload: { ...(payload as object), [field]: modern } };
}

function upcastAnswer(history: History, line: EffectLine): EffectLine {
  const type_version = Math.max(line.type_version, versionOf(history, line.type));
  const { payload } = line;
  if (type_version === line.type_version) return line;
  if (!("ok" in payload)) return { ...line, type_version };
  const ok = upcastFrom(history, line.type, line.type_version, payload.ok);
  return { ...line, type_version, payload: { ...payload, ok } };
}
