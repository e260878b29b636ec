/** Converts a payload of one version into the next. Pure; never throws on a valid payload of its version. */
export type Upcast = (payload: unknown) => unknown;

/** For each action type or port method whose shape has changed: the steps from version 1 to 2, 2 to 3, and so on. */
export type Upcasters = Readonly<Record<string, readonly Upcast[]>>;

/** Action types that carry other actions: the field of their payload that lists them. */
export type Carriers = Readonly<Record<string, string>>;

/** Changes of a program's action and answer shapes. */
export interface History {
  readonly upcasters?: Upcasters;
  readonly carriers?: Carriers;
}

/** The version that this build writes. An unchanged type is at 1. */
export function versionOf({ upcasters }: History, type: string): number {
  return (upcasters?.[type]?.length ?? 0) + 1;
}
