import type { Id, Profile } from "../contracts/resources";
import { defineMachine } from "./machine";

/** Why something was refused, as it is shown. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly errors: { readonly [field: string]: readonly string[] };
}

export type AuthWay = "login" | "register" | "social";

/** AUTH. Whose key this browser holds. The person's names and address are behind the account port. */
export type Auth =
  | { readonly at: "anonymous"; readonly refusal: Refusal | null }
  /** `owner`: the tab that drives it; empty for the moment in which it is pressed. */
  | { readonly at: "authenticating"; readonly way: AuthWay; readonly owner: string }
  | { readonly at: "authenticated"; readonly userId: Id }
  /** NAV: profile edit is the only page until the temporary password is changed. */
  | { readonly at: "mustChangePassword"; readonly userId: Id }
  | { readonly at: "loggingOut"; readonly userId: Id; readonly owner: string };

export type ResetReason = "unauthenticated" | "api_key" | "profile" | "deleted";

export interface AuthFacts {
  /** A form was sent; its values are behind the handle. */
  submitted: { way: AuthWay; handle: string; provider?: string };
  succeeded: { way: AuthWay; user: Profile };
  refused: Refusal;
  /** The profile was read or changed. */
  profileLoaded: { user: Profile };
  logoutPressed: undefined;
  loggedOut: undefined;
  /** The key no longer stands for the user. */
  reset: { reason: ResetReason };
  refusalSeen: undefined;
  /** A tab drives what was pressed: the one it was pressed in, or one that takes over from a tab that is gone. */
  adopted: { owner: string };
}

const byPassword = ({ user }: { user: Profile }): Auth =>
  user.temporary_password ? { at: "mustChangePassword", userId: user.id } : { at: "authenticated", userId: user.id };

const known = {
  to: ["authenticated", "mustChangePassword"],
  move: (_: Auth, fact: { user: Profile }) => byPassword(fact),
} as const;
const refused = {
  to: ["anonymous"],
  move: (_: Auth, refusal: Refusal): Auth => ({ at: "anonymous", refusal }),
} as const;
const anonymous = { to: ["anonymous"], move: (): Auth => ({ at: "anonymous", refusal: null }) } as const;
const leave = {
  to: ["loggingOut"],
  move: (state: { userId: Id }): Auth => ({ at: "loggingOut", userId: state.userId, owner: "" }),
} as const;

export const auth = defineMachine<Auth, AuthFacts>(
  "auth",
  { at: "anonymous", refusal: null },
  {
    anonymous: {
      submitted: { to: ["authenticating"], move: (_, { way }) => ({ at: "authenticating", way, owner: "" }) },
      profileLoaded: known,
      // A login that another tab held for lost.
      succeeded: known,
      refused,
      refusalSeen: anonymous,
      logoutPressed: "ignore",
      // Two tabs ended one logout.
      loggedOut: "ignore",
      reset: "ignore",
      adopted: "ignore",
    },
    authenticating: {
      submitted: "ignore",
      succeeded: known,
      // The profile of a login that was cut off by a reload, or that another tab finished.
      profileLoaded: known,
      refused,
      refusalSeen: "ignore",
      // A logout of another tab ends after this page heard that nobody is here.
      loggedOut: "ignore",
      logoutPressed: "ignore",
      adopted: { to: ["authenticating"], move: (state, { owner }) => ({ ...state, owner }) },
      // The old key was refused under way: the form is sent again under a new one.
      reset: "ignore",
    },
    authenticated: {
      submitted: "ignore",
      // Of a login beside the one that succeeded in another tab.
      refused: "ignore",
      succeeded: known,
      profileLoaded: known,
      refusalSeen: "ignore",
      logoutPressed: leave,
      reset: anonymous,
      adopted: "ignore",
    },
    mustChangePassword: {
      submitted: "ignore",
      refused: "ignore",
      succeeded: known,
      profileLoaded: known,
      refusalSeen: "ignore",
      logoutPressed: leave,
      reset: anonymous,
      adopted: "ignore",
    },
    loggingOut: {
      submitted: "ignore",
      // Of a login that was under way in one tab when the viewer left in another: the last one counts.
      succeeded: known,
      refused: "ignore",
      // An answer that was under way when the viewer left.
      profileLoaded: "ignore",
      refusalSeen: "ignore",
      logoutPressed: "ignore",
      loggedOut: anonymous,
      reset: anonymous,
      adopted: { to: ["loggingOut"], move: (state, { owner }) => ({ ...state, owner }) },
    },
  },
);
