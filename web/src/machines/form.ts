import type { Refusal } from "./auth";
import { defineMachine } from "./machine";

/** One form of the account pages, by name. Its values are behind the account port. */
export type Form =
  | { readonly at: "idle" }
  | { readonly at: "sending" }
  /** Succeeded. The viewer sees it once it is stored, so that an immediate reload can't revert it. */
  | { readonly at: "storing" }
  | { readonly at: "done" }
  | { readonly at: "refused"; readonly refusal: Refusal };

export interface FormFacts {
  submitted: { key: FormName; handle: string };
  answered: { key: FormName };
  succeeded: { key: FormName };
  refused: { key: FormName; refusal: Refusal };
  left: { key: FormName };
}

export type FormName =
  | "profile"
  | "verifyEmail"
  | "requestVerification"
  | "passwordResetRequest"
  | "passwordReset"
  | "requestDeletion"
  | "confirmDeletion"
  | "addSession"
  | "customForm";

const send = { to: ["sending"], move: (): Form => ({ at: "sending" }) } as const;
const close = { to: ["idle"], move: (): Form => ({ at: "idle" }) } as const;

export const form = defineMachine<Form, FormFacts>(
  "form",
  { at: "idle" },
  {
    idle: { submitted: send, left: "ignore" },
    sending: {
      submitted: "ignore",
      answered: { to: ["storing"], move: () => ({ at: "storing" }) },
      refused: { to: ["refused"], move: (_, { refusal }) => ({ at: "refused", refusal }) },
      // Leaving the page doesn't cancel a form in flight.
      left: "ignore",
    },
    storing: {
      submitted: "ignore",
      succeeded: { to: ["done"], move: () => ({ at: "done" }) },
      left: "ignore",
    },
    done: { submitted: send, left: close },
    refused: { submitted: send, left: close },
  },
);
