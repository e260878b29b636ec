import type { ActionLine, EffectLine, Line } from "./envelope";

/** Turns a payload of one version into the payload of the next. Pure; never throws on what its version could hold. */
export type Upcast = (payload: unknown) => unknown;

/** For each action type or port method whose shape has changed: the steps from version 1 to 2, 2 to 3, and so on. */
export type Upcasters = Readonly<Record<string, readonly Upcast[]>>;

/** The version that this build writes. A type that no one has changed is at 1. */
export function versionOf(upcasters: Upcasters, type: string): number {
  return (upcasters[type]?.length ?? 0) + 1;
}

/** Whether a line was written by a build that knows a newer shape of it than this one. */
export function isNewer(upcasters: Upcasters, line: Line): boolean {
  return (line.kind === "action" || line.kind === "effect") && line.type_version > versionOf(upcasters, line.type);
}

/** The line as this build would have written it. */
export function upcast(upcasters: Upcasters, line: Line): Line {
  const steps = upcasters[line.type];
  if (!steps || line.type_version > steps.length) return line;
  if (line.kind === "action") return upcastAction(line, steps);
  if (line.kind === "effect") return upcastAnswer(line, steps);
  return line;
}

const climb = (steps: readonly Upcast[], from: number, payload: unknown): unknown =>
  steps.slice(from - 1).reduce((value, step) => step(value), payload);

const upcastAction = (line: ActionLine, steps: readonly Upcast[]): ActionLine => ({
  ...line,
  type_version: steps.length + 1,
  payload: climb(steps, line.type_version, line.payload),
});

function upcastAnswer(line: EffectLine, steps: readonly Upcast[]): EffectLine {
  const type_version = steps.length + 1;
  if (!("ok" in line.payload)) return { ...line, type_version };
  return { ...line, type_version, payload: { ...line.payload, ok: climb(steps, line.type_version, line.payload.ok) } };
}
