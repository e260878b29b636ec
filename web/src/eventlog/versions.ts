/** Turns a payload of one version into the payload of the next. Pure; never throws on what its version could hold. */
export type Upcast = (payload: unknown) => unknown;

/** For each action type or port method whose shape has changed: the steps from version 1 to 2, 2 to 3, and so on. */
export type Upcasters = Readonly<Record<string, readonly Upcast[]>>;

/** Action types that carry other actions: the field of their payload that lists them. */
export type Carriers = Readonly<Record<string, string>>;

/** How the shapes of a program's actions and answers changed. */
export interface History {
  readonly upcasters?: Upcasters;
  readonly carriers?: Carriers;
}

/** The version that this build writes. A type that no one has changed is at 1. */
export function versionOf({ upcasters }: History, type: string): number {
  return (upcasters?.[type]?.length ?? 0) + 1;
}
