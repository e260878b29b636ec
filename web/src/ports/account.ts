import { createContext } from "react";
import type { Id, Transaction } from "../contracts/resources";
import type { Handle } from "./calls";

/** Who is logged in, as they like to be called. */
export interface Person {
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
  readonly phone: string;
}

/**
 * How the bank's question ended: by the viewer's word (sandbox payments), between the viewer and the payment provider, or
 * not at all: it can be put again.
 */
export type BankAnswer = boolean | "settled" | "unanswered";

/** What screens may do with personal data. None of it ever enters an action or the state (LOG-2). */
export interface AccountPort {
  /** Keeps a form's values; the handle names them in an action, and dies with the page. */
  hold(values: object): Handle;
  /** The same object until it changes. */
  person(): Person | null;
  /** The last four digits of a saved card. */
  lastDigits(cardId: string): string | null;
  /** What the viewer paid and got back, newest first; null until it was read. The same list until it changes. */
  transactions(): readonly Transaction[] | null;
  /** The bank's question about an order's payment, to be put to the viewer. */
  question(): { readonly order_id: Id; readonly client_secret: string } | null;
  answer(by: BankAnswer): void;
  /** Tells of each change; answers how to stop. */
  subscribe(listener: () => void): () => void;
}

/** Where screens find the port; the app provides it. */
export const AccountContext = createContext<AccountPort | null>(null);
