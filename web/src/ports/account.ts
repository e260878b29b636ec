import { createContext } from "react";
import type { Id, Transaction } from "../contracts/resources";
import type { Handle } from "./calls";

/** The signed-in user's display name. */
export interface Person {
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
  readonly phone: string;
}

/**
 * The bank step's result: the viewer's answer (sandbox payments), settled between viewer and provider, or unanswered
 * and repeatable.
 */
export type BankAnswer = boolean | "settled" | "unanswered";

/** The personal data available to screens. None of it enters an action or the state (LOG-2). */
export interface AccountPort {
  /** Stores a form's values; the handle names them in an action and dies with the page. */
  hold(values: object): Handle;
  /**
   * The text without the parts that look like an address, a phone number or a card: each has a stand-in, which the
   * channel's calls replace again. Equal texts get equal stand-ins until the page closes.
   */
  standIn(text: string): string;
  /** The text with its stand-ins replaced again, as far as this page knows them. */
  filledIn(text: string): string;
  /** Returns the same object until the person changes. */
  person(): Person | null;
  lastDigits(cardId: string): string | null;
  /** The viewer's payments and refunds, newest first; null before the first read. The same list until it changes. */
  transactions(): readonly Transaction[] | null;
  /** The bank's question about an order's payment, for the viewer. */
  question(): { readonly order_id: Id; readonly client_secret: string } | null;
  answer(by: BankAnswer): void;
  /** Calls `listener` on each change; returns an unsubscribe function. */
  subscribe(listener: () => void): () => void;
}

/** Provided by the app. */
export const AccountContext = createContext<AccountPort | null>(null);
