import { tabActions } from "../../slices/tabs";
import type { TestWorld } from "./world";

export type Told = { type: string; payload?: unknown };

/** A page that follows hears of what the leader folded. */
export function hear(world: TestWorld, ...actions: Told[]): void {
  const { generation, seq } = world.state().tabs;
  world.input("storage", tabActions.streamReceived({ generation, seq: seq + 1, actions, answers: [] }));
}

let intents = 0;
/** A page that leads is asked for something by another one. */
export const want = (world: TestWorld, action: Told): void =>
  world.input("ui", tabActions.intentReceived({ id: `other/${++intents}`, action }));

/** How often something was asked for. */
export const asked = (world: TestWorld, method: Parameters<TestWorld["calls"]>[0]): number =>
  world.calls(method).length;
