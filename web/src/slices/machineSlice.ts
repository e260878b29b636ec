import { createAction, type PayloadActionCreator, type Reducer, type UnknownAction } from "@reduxjs/toolkit";
import { type Machine, type State, step } from "../machines/machine";

/** The action creators of a machine's facts: `purchase/submitted` for fact `submitted` of machine `purchase`. */
export type FactActions<Facts> = {
  readonly [F in keyof Facts & string]: PayloadActionCreator<Facts[F] extends undefined ? void : Facts[F]>;
};

export interface MachineSlice<S, Facts> {
  readonly name: string;
  readonly actions: FactActions<Facts>;
  readonly reducer: Reducer<S>;
}

function factActions<S extends State, Facts>(machine: Machine<S, Facts>): FactActions<Facts> {
  const creators = machine.facts.map((fact) => [fact, createAction(`${machine.name}/${fact}`)] as const);
  return Object.fromEntries(creators) as unknown as FactActions<Facts>;
}

/** Returns a machine's fact for an action, if it is one. */
function factOf<S extends State, Facts>(machine: Machine<S, Facts>) {
  const prefix = `${machine.name}/`;
  const facts: ReadonlySet<string> = new Set(machine.facts);
  return (action: UnknownAction): (keyof Facts & string) | null => {
    if (!action.type.startsWith(prefix)) return null;
    const fact = action.type.slice(prefix.length);
    return facts.has(fact) ? (fact as keyof Facts & string) : null;
  };
}

/** A slice whose state is one machine's. */
export function machineSlice<S extends State, Facts>(machine: Machine<S, Facts>): MachineSlice<S, Facts> {
  const fact = factOf(machine);
  return {
    name: machine.name,
    actions: factActions(machine),
    reducer: (state = machine.initial, action) => {
      const name = fact(action);
      return name === null ? state : step(machine, state, name, (action as { payload?: unknown }).payload as never);
    },
  };
}

/** One machine per key; a missing key is in the first state. */
export type Keyed<S> = { readonly [key: string]: S };

/** A slice of many machines of one kind, by `payload.key`. */
export function keyedMachineSlice<S extends State, Facts>(machine: Machine<S, Facts>): MachineSlice<Keyed<S>, Facts> {
  const fact = factOf(machine);
  return {
    name: machine.name,
    actions: factActions(machine),
    reducer: (states = {}, action) => {
      const name = fact(action);
      if (name === null) return states;
      const payload = (action as { payload?: unknown }).payload as { key: string };
      const state = states[payload.key] ?? machine.initial;
      const next = step(machine, state, name, payload as never);
      return next === states[payload.key] ? states : { ...states, [payload.key]: next };
    },
  };
}
