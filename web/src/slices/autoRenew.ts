import type { Id } from "../contracts/resources";
import { type AutoRenew, autoRenew as machine } from "../machines/autoRenew";
import type { RootState } from "./index";
import { keyedMachineSlice } from "./machineSlice";

export const autoRenew = keyedMachineSlice(machine);
export const autoRenewActions = autoRenew.actions;

export const selectAutoRenew =
  (subscription: Id) =>
  ({ autoRenew: states }: RootState): AutoRenew =>
    states[String(subscription)] ?? machine.initial;
