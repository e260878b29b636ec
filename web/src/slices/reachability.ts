import type { Reducer } from "@reduxjs/toolkit";
import { reachability as machine, type Reachability } from "../machines/reachability";
import { connectionInputs } from "./connection";
import type { RootState } from "./index";
import { machineSlice } from "./machineSlice";

const slice = machineSlice(machine);
const { suspected, answered, wentOffline, cameOnline } = slice.actions;

/** Inputs of `session/reachability.ts`, beside the connection's two that every process follows. */
export const reachabilityInputs = { suspected, answered } as const;

const reducer: Reducer<Reachability> = (state, action) => {
  if (connectionInputs.wentOffline.match(action)) return slice.reducer(state, wentOffline());
  if (connectionInputs.cameOnline.match(action)) return slice.reducer(state, cameOnline());
  return slice.reducer(state, action);
};

export const reachability = { ...slice, reducer };

/** The channel doesn't answer, although the browser reports a network. */
export const selectUnreachable = ({ reachability: state }: RootState): boolean =>
  state.at === "unreachable" && !state.reported;
