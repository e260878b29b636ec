import type { State } from "../../eventlog/envelope";

/** Which slices belong to the viewer, and which to the page. */
export interface Scopes {
  readonly browser: readonly string[];
  readonly tab: readonly string[];
}

/** Some slices of a state: those that it has. */
export const pick = (state: State, names: readonly string[]): State =>
  Object.fromEntries(names.filter((name) => name in state).map((name) => [name, state[name]]));
