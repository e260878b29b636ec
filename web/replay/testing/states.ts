import { type AnyMachine, type AnySamples, reachable } from "../../src/machines/testing/walks";
import { type Shape, shapeOf } from "./shapes";

/** The fields of a state and of its nested records, each by its path. */
const flat = (record: object, path = ""): [string, unknown][] =>
  Object.entries(record).flatMap(([name, value]) =>
    typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
      ? flat(value, `${path}${name}.`)
      : [[path + name, value]],
  );

/** The shape of each state of a machine, by the state's name. */
export function statesOf(machine: AnyMachine, samples: AnySamples): Readonly<Record<string, Shape>> {
  const states = reachable(machine, samples);
  return Object.fromEntries(
    [...new Set(states.map(({ at }) => at))].sort().map((at) => {
      const inState = states.filter((state) => state.at === at);
      return [at, shapeOf(inState.map((state) => Object.fromEntries(flat(state))))];
    }),
  );
}
