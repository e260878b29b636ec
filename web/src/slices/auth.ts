import type { Id } from "../contracts/resources";
import { auth as machine } from "../machines/auth";
import type { RootState } from "./index";
import { machineSlice } from "./machineSlice";

export const auth = machineSlice(machine);
export const authActions = auth.actions;

export const selectAuth = (state: RootState) => state.auth;
/** The session's user until its very end; null without one. */
export const selectViewer = ({ auth: state }: Pick<RootState, "auth">): Id | null =>
  "userId" in state ? state.userId : null;
/** null for an anonymous viewer. */
export const selectUserId = ({ auth: state }: RootState): Id | null =>
  state.at === "authenticated" || state.at === "mustChangePassword" ? state.userId : null;
/** The user of the status stream: the worker offers none before a required password change. */
export const selectStreamUserId = ({ auth: state }: RootState): Id | null =>
  state.at === "authenticated" ? state.userId : null;
export const selectLoggedIn = (state: RootState): boolean => selectUserId(state) !== null;
/** NAV: only the profile page opens. */
export const selectMustChangePassword = ({ auth: { at } }: RootState): boolean => at === "mustChangePassword";
