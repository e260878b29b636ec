import type { Reducer } from "@reduxjs/toolkit";
import type { Id } from "../contracts/resources";
import { type AutoRenew, autoRenew as machine } from "../machines/autoRenew";
import { authActions } from "./auth";
import type { RootState } from "./index";
import { type Keyed, keyedMachineSlice } from "./machineSlice";

const slice = keyedMachineSlice(machine);
export const autoRenewActions = slice.actions;

const NONE: Keyed<AutoRenew> = {};

const reducer: Reducer<Keyed<AutoRenew>> = (states = NONE, action) =>
  authActions.loggedOut.match(action) || authActions.reset.match(action) ? NONE : slice.reducer(states, action);

export const autoRenew = { ...slice, reducer };

export const selectAutoRenew =
  (subscription: Id) =>
  ({ autoRenew: states }: RootState): AutoRenew =>
    states[String(subscription)] ?? machine.initial;
