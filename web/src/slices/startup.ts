import { startup as machine } from "../machines/startup";
import type { RootState } from "./index";
import { machineSlice } from "./machineSlice";

export const startup = machineSlice(machine);
export const startupActions = startup.actions;

export const selectStartup = (state: RootState) => state.startup;
/** The page shows the snapshot, because the worker was unreachable. */
export const selectStale = ({ startup: state }: RootState): boolean => state.at === "ready" && state.stale;
/** The error screen of a missing key: seconds until a reload is offered. null: no such screen. */
export const selectKeyFailure = ({ startup: state }: RootState): { left: number } | null =>
  state.at === "keyFailed" ? { left: state.left } : null;
