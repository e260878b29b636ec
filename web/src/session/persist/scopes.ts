import type { State } from "../../eventlog/envelope";

/** The viewer's slices and the page's slices. */
export interface Scopes {
  readonly browser: readonly string[];
  readonly tab: readonly string[];
}

/** The named slices that a state has. */
export const pick = (state: State, names: readonly string[]): State =>
  Object.fromEntries(names.filter((name) => name in state).map((name) => [name, state[name]]));
