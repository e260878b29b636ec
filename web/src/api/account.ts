import type { Id, Transaction } from "../contracts/resources";
import type { AccountPort, BankAnswer } from "../ports/account";
import type { KeyValue } from "./database";
import type { StoredKeys } from "./keys";
import { createStandIns } from "./standIns";

/** The signed-in user's name and address. Never part of an action or of the state. */
export interface Person {
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
  readonly phone: string;
}

export interface BankQuestion {
  readonly order_id: Id;
  /** The provider's secret for continuing the payment. */
  readonly client_secret: string;
}

/** Values of a submitted form, held under a handle. They live as long as the page and are never stored. */
export type FormValues = { readonly [name: string]: unknown };

/** Personal data of this browser: forms write it, screens read it, and API calls use it. */
export interface Account extends Pick<AccountPort, "standIn" | "filledIn"> {
  /** Stores a form's values; the handle names them in an action. */
  hold(values: object): string;
  /** The values behind a handle; null if they no longer exist. */
  formValues(handle: string): FormValues | null;
  forget(handle: string): void;
  /** Returns the same object until the person changes. */
  person(): Person | null;
  /** Stores the signed-in user, also on disk. */
  setPerson(person: Person | null): Promise<void>;
  lastDigits(cardId: string): string | null;
  setLastDigits(digits: { readonly [cardId: string]: string }): void;
  /** The viewer's payments and refunds, newest first; null before the first read. */
  transactions(): readonly Transaction[] | null;
  setTransactions(lines: readonly Transaction[]): void;
  paymentSecret(orderId: Id): string | null;
  setPaymentSecret(orderId: Id, secret: string): void;
  question(): BankQuestion | null;
  /** Puts the bank's question to the viewer and settles with the answer. One question at a time. */
  confirmPayment(orderId: Id, signal: AbortSignal | undefined): Promise<BankAnswer>;
  answer(by: BankAnswer): void;
  /** Rereads the data that another tab may have changed. */
  refresh(): Promise<void>;
  /** Discards the values of every open form, so that nothing typed survives a sign-out. */
  forgetForms(): void;
  /** Discards all personal data. */
  clear(): Promise<void>;
  subscribe(listener: () => void): () => void;
}

const PERSON = "person";
const MAX_FORMS = 50;

const isSame = (a: Person | null, b: Person | null): boolean =>
  a === b ||
  (a !== null &&
    b !== null &&
    a.first_name === b.first_name &&
    a.last_name === b.last_name &&
    a.email === b.email &&
    a.phone === b.phone);

/** Whether a change of the keys changes the signed-in user. */
export const isOtherUser = (before: StoredKeys, after: StoredKeys): boolean => before.user_id !== after.user_id;

export interface AccountDeps {
  database: KeyValue;
  newHandle(): string;
  /** Called once a change of the signed-in user is stored and other tabs can read it. */
  personStored(): void;
}

export function createAccount({ database, newHandle, personStored }: AccountDeps): Account {
  const forms = new Map<string, FormValues>();
  const listeners = new Set<() => void>();
  let person: Person | null = null;
  let digits: { readonly [cardId: string]: string } = {};
  let lines: readonly Transaction[] | null = null;
  let secrets = new Map<Id, string>();
  let question: (BankQuestion & { settle(by: BankAnswer): void }) | null = null;

  const notify = () => {
    for (const listener of [...listeners]) listener();
  };

  function show(next: Person | null): void {
    if (isSame(person, next)) return;
    person = next;
    notify();
  }

  async function setPerson(next: Person | null): Promise<void> {
    show(next);
    // A browser without storage still shows the name for the lifetime of the page.
    await (next === null ? database.removeItem(PERSON) : database.setItem(PERSON, next)).then(
      () => personStored(),
      () => undefined,
    );
  }

  function putBankQuestion(orderId: Id, signal: AbortSignal | undefined): Promise<BankAnswer> {
    question?.settle(false);
    return new Promise<BankAnswer>((resolve, reject) => {
      const settle = (by: BankAnswer) => {
        question = null;
        signal?.removeEventListener("abort", cancel);
        notify();
        resolve(by);
      };
      const cancel = () => {
        question = null;
        notify();
        reject(signal?.reason);
      };
      question = { order_id: orderId, client_secret: secrets.get(orderId) ?? "", settle };
      signal?.addEventListener("abort", cancel, { once: true });
      notify();
    });
  }

  return {
    ...createStandIns(newHandle),
    hold(values) {
      const handle = newHandle();
      forms.set(handle, { ...values });
      const oldest = forms.keys().next();
      if (forms.size > MAX_FORMS && !oldest.done) forms.delete(oldest.value);
      return handle;
    },
    formValues: (handle) => forms.get(handle) ?? null,
    forget: (handle) => void forms.delete(handle),
    person: () => person,
    setPerson,
    lastDigits: (cardId) => digits[cardId] ?? null,
    setLastDigits(next) {
      digits = { ...digits, ...next };
      notify();
    },
    transactions: () => lines,
    setTransactions(next) {
      lines = next;
      notify();
    },
    paymentSecret: (orderId) => secrets.get(orderId) ?? null,
    setPaymentSecret: (orderId, secret) => void secrets.set(orderId, secret),
    question: () => question,
    confirmPayment: putBankQuestion,
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
