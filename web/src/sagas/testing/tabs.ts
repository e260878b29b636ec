import { factsHeard, tabActions } from "../../slices/tabs";
import type { TestWorld } from "./world";

export type Fact = Parameters<typeof factsHeard>[0]["facts"][number];

/** The page hears of what other tabs did. */
export const hear = (world: TestWorld, ...facts: Fact[]): void => world.input("storage", factsHeard({ facts }));

/** Which other tabs there are from now on. */
export const others = (world: TestWorld, ...ids: string[]): void =>
  world.input("storage", tabActions.othersChanged({ others: ids }));

/** How often something was asked for. */
export const asked = (world: TestWorld, method: Parameters<TestWorld["calls"]>[0]): number =>
  world.calls(method).length;
