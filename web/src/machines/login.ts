import type { Refusal } from "./auth";
import { defineMachine } from "./machine";

/** `device`: a television shows a code and polls until it is entered elsewhere. */
export type LoginWay = "login" | "register" | "social" | "device";

/**
 * AUTH-1 to AUTH-3. A login is a process of its page, since the form's values die with the page. It ends in
 * `auth/succeeded`.
 */
export type Login =
  | { readonly at: "idle" }
  | { readonly at: "sending"; readonly way: LoginWay }
  | { readonly at: "refused"; readonly refusal: Refusal };

export interface LoginFacts {
  /** A form was submitted; its values are behind the handle. */
  submitted: { way: LoginWay; handle: string; provider?: string };
  refused: Refusal;
  /** It succeeded, and the viewer's state reflects it. */
  ended: undefined;
  refusalSeen: undefined;
}

const idle = { to: ["idle"], move: (): Login => ({ at: "idle" }) } as const;
const send = {
  to: ["sending"],
  move: (_: Login, { way }: LoginFacts["submitted"]): Login => ({ at: "sending", way }),
} as const;

export const login = defineMachine<Login, LoginFacts>(
  "login",
  { at: "idle" },
  {
    idle: { submitted: send, refusalSeen: "ignore" },
    sending: {
      submitted: "ignore",
      refused: { to: ["refused"], move: (_, refusal) => ({ at: "refused", refusal }) },
      ended: idle,
      refusalSeen: "ignore",
    },
    refused: { submitted: send, refusalSeen: idle },
  },
);
