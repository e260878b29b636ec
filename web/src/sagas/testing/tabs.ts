import { tabActions } from "../../slices/tabs";
import type { TestWorld } from "./world";

export type RemoteAction = { type: string; payload?: unknown };

let intents = 0;

/** Delivers another page's actions: through the leader's stream to a follower, as intents to a leader. */
export function receive(world: TestWorld, ...actions: RemoteAction[]): void {
  const { leads, generation, seq } = world.state().tabs;
  if (!leads) world.input("storage", tabActions.streamReceived({ generation, seq: seq + 1, actions, answers: [] }));
  else for (const action of actions) world.input("ui", tabActions.intentReceived({ id: `b/${++intents}`, action }));
}

/** Another page leads from now on. */
export const resign = (world: TestWorld): void =>
  world.input("storage", tabActions.resigned({ generation: 1, seq: 0 }));
/** This page leads from now on. */
export const lead = (world: TestWorld): void => world.input("storage", tabActions.led({ generation: 2, seq: 0 }));

/** Number of calls of a method. */
export const countCalls = (world: TestWorld, method: Parameters<TestWorld["calls"]>[0]): number =>
  world.calls(method).length;
