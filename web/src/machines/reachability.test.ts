import { expect, it } from "vitest";
import { step } from "./machine";
import { type Reachability, type ReachabilityFacts, reachability } from "./reachability";

const after = (...facts: (keyof ReachabilityFacts)[]): Reachability =>
  facts.reduce((state, fact) => step(reachability, state, fact, undefined), reachability.initial);
const SILENT = { at: "unreachable", reported: false } as const;
const OFFLINE = { at: "unreachable", reported: true } as const;

it.each<[(keyof ReachabilityFacts)[], Reachability]>([
  [["suspected"], { at: "unsure" }],
  [["suspected", "answered"], { at: "reachable" }],
  [["suspected", "wentOffline"], SILENT],
  [["suspected", "wentOffline", "suspected"], SILENT],
  [["suspected", "wentOffline", "answered"], SILENT],
  [["suspected", "wentOffline", "cameOnline"], { at: "reachable" }],
  [["wentOffline"], OFFLINE],
  [["wentOffline", "answered"], OFFLINE],
  [["suspected", "wentOffline", "wentOffline"], OFFLINE],
  [["wentOffline", "cameOnline"], { at: "unsure" }],
  [["wentOffline", "cameOnline", "wentOffline"], SILENT],
  [["cameOnline"], { at: "reachable" }],
])("after %j the channel is %j (CALL-14)", (facts, state) => {
  expect(after(...facts)).toEqual(state);
});
