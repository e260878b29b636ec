import { tabActions } from "../../slices/tabs";
import type { TestWorld } from "./world";

export type Told = { type: string; payload?: unknown };

let intents = 0;

/** What another page did reaches this one: as the leader's stream where it follows, as intents where it leads. */
export function hear(world: TestWorld, ...actions: Told[]): void {
  const { leads, generation, seq } = world.state().tabs;
  if (!leads) world.input("storage", tabActions.streamReceived({ generation, seq: seq + 1, actions, answers: [] }));
  else for (const action of actions) world.input("ui", tabActions.intentReceived({ id: `b/${++intents}`, action }));
}

/** From now on another page leads. */
export const resign = (world: TestWorld): void =>
  world.input("storage", tabActions.resigned({ generation: 1, seq: 0 }));
/** From now on this page leads. */
export const lead = (world: TestWorld): void => world.input("storage", tabActions.led({ generation: 2, seq: 0 }));

/** How often something was asked for. */
export const asked = (world: TestWorld, method: Parameters<TestWorld["calls"]>[0]): number =>
  world.calls(method).length;
