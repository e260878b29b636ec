import type { Id } from "../contracts/resources";
import { auth as machine } from "../machines/auth";
import type { RootState } from "./index";
import { machineSlice } from "./machineSlice";

export const auth = machineSlice(machine);
export const authActions = auth.actions;

export const selectAuth = (state: RootState) => state.auth;
/** Whose session this is, to its very end; null for nobody's. */
export const selectViewer = ({ auth: state }: Pick<RootState, "auth">): Id | null =>
  "userId" in state ? state.userId : null;
/** null for an anonymous viewer. */
export const selectUserId = ({ auth: state }: RootState): Id | null =>
  state.at === "authenticated" || state.at === "mustChangePassword" ? state.userId : null;
/** Whose status stream there is: the worker gives none to whoever must change their password first. */
export const selectStreamUserId = ({ auth: state }: RootState): Id | null =>
  state.at === "authenticated" ? state.userId : null;
export const selectLoggedIn = (state: RootState): boolean => selectUserId(state) !== null;
/** NAV: profile edit is the only page. */
export const selectMustChangePassword = ({ auth: { at } }: RootState): boolean => at === "mustChangePassword";
