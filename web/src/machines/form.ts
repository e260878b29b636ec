import type { Refusal } from "./auth";
import { defineMachine } from "./machine";

/** One form of the account pages, keyed by its name. Its values are behind the account port. */
export type Form =
  | { readonly at: "idle" }
  | { readonly at: "sending" }
  | { readonly at: "done" }
  | { readonly at: "refused"; readonly refusal: Refusal };

export interface FormFacts {
  submitted: { key: FormName; handle: string };
  succeeded: { key: FormName };
  refused: { key: FormName; refusal: Refusal };
  left: { key: FormName };
}

export type FormName =
  | "profile"
  | "verifyEmail"
  | "passwordResetRequest"
  | "passwordReset"
  | "requestDeletion"
  | "confirmDeletion"
  | "addSession";

const send = { to: ["sending"], move: (): Form => ({ at: "sending" }) } as const;
const leave = { to: ["idle"], move: (): Form => ({ at: "idle" }) } as const;

export const form = defineMachine<Form, FormFacts>(
  "form",
  { at: "idle" },
  {
    idle: { submitted: send, left: "ignore" },
    sending: {
      submitted: "ignore",
      succeeded: { to: ["done"], move: () => ({ at: "done" }) },
      refused: { to: ["refused"], move: (_, { refusal }) => ({ at: "refused", refusal }) },
      // What was sent is on its way: leaving the page does not take it back.
      left: "ignore",
    },
    done: { submitted: send, left: leave },
    refused: { submitted: send, left: leave },
  },
);
