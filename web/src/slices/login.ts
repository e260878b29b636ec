import type { Refusal } from "../machines/auth";
import { login as machine } from "../machines/login";
import type { RootState } from "./index";
import { machineSlice } from "./machineSlice";

export const login = machineSlice(machine);
export const loginActions = login.actions;

export const selectLogin = (state: RootState) => state.login;
export const selectAuthenticating = ({ login: { at } }: RootState): boolean => at === "sending";
export const selectAuthBusy = ({ login, auth }: RootState): boolean =>
  login.at === "sending" || auth.at === "loggingOut";
export const selectAuthRefusal = ({ login: state }: RootState): Refusal | null =>
  state.at === "refused" ? state.refusal : null;
