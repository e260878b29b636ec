import type { Id, Profile } from "../contracts/resources";
import type { LoginWay } from "./login";
import { defineMachine } from "./machine";

/** The reason for a refusal, as displayed. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly errors: { readonly [field: string]: readonly string[] };
}

/** AUTH. The user of this browser's key. Names and address are behind the account port. */
export type Auth =
  | { readonly at: "anonymous" }
  | { readonly at: "authenticated"; readonly userId: Id }
  /** NAV: only the profile page opens until the temporary password is changed. */
  | { readonly at: "mustChangePassword"; readonly userId: Id }
  | { readonly at: "loggingOut"; readonly userId: Id };

export type ResetReason = "unauthenticated" | "api_key" | "profile" | "deleted";

export interface AuthFacts {
  /** A page completed a login. */
  succeeded: { way: LoginWay; user: Profile };
  profileLoaded: { user: Profile };
  profileChanged: { user: Profile };
  /** The profile may have changed and must be reread. */
  profileWanted: undefined;
  logoutPressed: undefined;
  loggedOut: undefined;
  /** The key no longer belongs to the user. `user_id`: the user it concerns; absent: the current one. */
  reset: { reason: ResetReason; user_id?: Id };
}

const byPassword = ({ user }: { user: Profile }): Auth =>
  user.temporary_password ? { at: "mustChangePassword", userId: user.id } : { at: "authenticated", userId: user.id };

const asUser = {
  to: ["authenticated", "mustChangePassword"],
  move: (_: Auth, fact: { user: Profile }) => byPassword(fact),
} as const;
/** Ignored for any other user. */
const changed = {
  to: ["authenticated", "mustChangePassword"],
  move: (state: Extract<Auth, { userId: Id }>, fact: { user: Profile }): Auth =>
    fact.user.id === state.userId ? byPassword(fact) : state,
} as const;
const anonymous = { to: ["anonymous"], move: (): Auth => ({ at: "anonymous" }) } as const;
const startReset = <A extends "authenticated" | "mustChangePassword" | "loggingOut">(at: A) => ({
  to: ["anonymous", at] as const,
  move: (state: Auth & { readonly userId: Id }, { user_id }: AuthFacts["reset"]): Auth =>
    user_id === undefined || user_id === state.userId ? { at: "anonymous" } : state,
});
const startLogout = {
  to: ["loggingOut"],
  move: (state: { userId: Id }): Auth => ({ at: "loggingOut", userId: state.userId }),
} as const;

export const auth = defineMachine<Auth, AuthFacts>(
  "auth",
  { at: "anonymous" },
  {
    anonymous: {
      succeeded: asUser,
      profileLoaded: asUser,
      profileChanged: "ignore",
      profileWanted: "ignore",
      logoutPressed: "ignore",
      loggedOut: "ignore",
      reset: "ignore",
    },
    authenticated: {
      succeeded: asUser,
      profileLoaded: asUser,
      profileChanged: changed,
      profileWanted: "ignore",
      logoutPressed: startLogout,
      reset: startReset("authenticated"),
    },
    mustChangePassword: {
      succeeded: asUser,
      profileLoaded: asUser,
      profileChanged: changed,
      profileWanted: "ignore",
      logoutPressed: startLogout,
      reset: startReset("mustChangePassword"),
    },
    loggingOut: {
      // A login in one tab that ends after the viewer logged out in another: the last one counts.
      succeeded: asUser,
      // An answer that arrives after the viewer logged out.
      profileLoaded: "ignore",
      profileChanged: "ignore",
      profileWanted: "ignore",
      logoutPressed: "ignore",
      loggedOut: anonymous,
      reset: startReset("loggingOut"),
    },
  },
);
