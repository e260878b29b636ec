import type { Refusal } from "../machines/auth";
import { login as machine } from "../machines/login";
import type { RootState } from "./index";
import { machineSlice } from "./machineSlice";

export const login = machineSlice(machine);
export const loginActions = login.actions;

export const selectLogin = (state: RootState) => state.login;
export const selectAuthenticating = ({ login: { at } }: RootState): boolean => at === "sending";
/** The login or logout in progress; null for none. */
export const selectAuthStep = ({ login, auth }: RootState): "loggingIn" | "loggingOut" | null =>
  auth.at === "loggingOut" ? "loggingOut" : login.at === "sending" ? "loggingIn" : null;
export const selectAuthBusy = (state: RootState): boolean => selectAuthStep(state) !== null;
export const selectAuthRefusal = ({ login: state }: RootState): Refusal | null =>
  state.at === "refused" ? state.refusal : null;
