import type { Id, Transaction } from "../contracts/resources";
import type { BankAnswer } from "../ports/account";
import type { KeyValue } from "./database";
import type { StoredKeys } from "./keys";

/** Who is logged in, as they like to be called. Never part of an action or of the state. */
export interface Person {
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
  readonly phone: string;
}

/** The bank's question about a payment. */
export interface BankQuestion {
  readonly order_id: Id;
  /** With which the payment goes on. */
  readonly client_secret: string;
}

/** What was typed into a form, kept here under a handle. Dies with the page, and is never stored. */
export type FormValues = { readonly [name: string]: unknown };

/** Personal data of this browser: forms put it in, screens read it, and the API's calls use it. */
export interface Account {
  /** Keeps a form's values; the handle names them in an action. */
  hold(values: object): string;
  /** The values behind a handle; null when they are gone. */
  held(handle: string): FormValues | null;
  forget(handle: string): void;
  /** The same object until it changes. */
  person(): Person | null;
  /** Keeps who is logged in, on disk too. */
  setPerson(person: Person | null): Promise<void>;
  /** The last four digits of a saved card. */
  lastDigits(cardId: string): string | null;
  setLastDigits(digits: { readonly [cardId: string]: string }): void;
  /** What the viewer paid and got back, newest first; null until it was read. */
  transactions(): readonly Transaction[] | null;
  setTransactions(lines: readonly Transaction[]): void;
  /** The secret with which an order's payment goes on. */
  paymentSecret(orderId: Id): string | null;
  setPaymentSecret(orderId: Id, secret: string): void;
  question(): BankQuestion | null;
  /** Asks the viewer the bank's question; settles when they answered. One question at a time. */
  ask(orderId: Id, signal: AbortSignal | undefined): Promise<BankAnswer>;
  answer(by: BankAnswer): void;
  /** Reads anew what another tab may have changed. */
  refresh(): Promise<void>;
  /** Forgets every form that is held: who leaves leaves nothing typed behind. */
  forgetForms(): void;
  /** Forgets all that belongs to a person. */
  clear(): Promise<void>;
  subscribe(listener: () => void): () => void;
}

const PERSON = "person";
const HELD_FORMS = 50;

const isSame = (a: Person | null, b: Person | null): boolean =>
  a === b ||
  (a !== null &&
    b !== null &&
    a.first_name === b.first_name &&
    a.last_name === b.last_name &&
    a.email === b.email &&
    a.phone === b.phone);

/** Whether a change of the keys is a change of who is logged in. */
export const isOtherUser = (before: StoredKeys, after: StoredKeys): boolean => before.user_id !== after.user_id;

export interface AccountParts {
  database: KeyValue;
  newHandle(): string;
  /** Told once a change of who is logged in is stored: other tabs can read it now. */
  personStored(): void;
}

export function createAccount({ database, newHandle, personStored }: AccountParts): Account {
  const forms = new Map<string, FormValues>();
  const listeners = new Set<() => void>();
  let person: Person | null = null;
  let digits: { readonly [cardId: string]: string } = {};
  let lines: readonly Transaction[] | null = null;
  let secrets = new Map<Id, string>();
  let question: (BankQuestion & { settle(by: BankAnswer): void }) | null = null;

  const tell = () => {
    for (const listener of [...listeners]) listener();
  };

  function show(next: Person | null): void {
    if (isSame(person, next)) return;
    person = next;
    tell();
  }

  async function setPerson(next: Person | null): Promise<void> {
    show(next);
    // A browser that cannot store still shows the name, as long as the page lives.
    await (next === null ? database.removeItem(PERSON) : database.setItem(PERSON, next)).then(
      () => personStored(),
      () => undefined,
    );
  }

  function ask(orderId: Id, signal: AbortSignal | undefined): Promise<BankAnswer> {
    question?.settle(false);
    return new Promise<BankAnswer>((resolve, reject) => {
      const settle = (by: BankAnswer) => {
        question = null;
        signal?.removeEventListener("abort", cancel);
        tell();
        resolve(by);
      };
      const cancel = () => {
        question = null;
        tell();
        reject(signal?.reason);
      };
      question = { order_id: orderId, client_secret: secrets.get(orderId) ?? "", settle };
      signal?.addEventListener("abort", cancel, { once: true });
      tell();
    });
  }

  return {
    hold(values) {
      const handle = newHandle();
      forms.set(handle, { ...values });
      const oldest = forms.keys().next();
      if (forms.size > HELD_FORMS && !oldest.done) forms.delete(oldest.value);
      return handle;
    },
    held: (handle) => forms.get(handle) ?? null,
    forget: (handle) => void forms.delete(handle),
    person: () => person,
    setPerson,
    lastDigits: (cardId) => digits[cardId] ?? null,
    setLastDigits(next) {
      digits = { ...digits, ...next };
      tell();
    },
    transactions: () => lines,
    setTransactions(next) {
      lines = next;
      tell();
    },
    paymentSecret: (orderId) => secrets.get(orderId) ?? null,
    setPaymentSecret: (orderId, secret) => void secrets.set(orderId, secret),
    question: () => question,
    ask,
    answer: (by) => question?.settle(by),
    async refresh() {
      show((await database.getItem<Person>(PERSON).catch(() => person)) ?? null);
    },
    forgetForms: () => forms.clear(),
    async clear() {
      digits = {};
      lines = null;
      secrets = new Map();
      question?.settle(false);
      await setPerson(null);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
