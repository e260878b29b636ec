import { type Form, type FormName, form as machine } from "../machines/form";
import type { RootState } from "./index";
import { keyedMachineSlice } from "./machineSlice";

export const form = keyedMachineSlice(machine);
export const formActions = form.actions;

export const selectForm =
  (name: FormName) =>
  ({ form: states }: RootState): Form =>
    states[name] ?? machine.initial;
