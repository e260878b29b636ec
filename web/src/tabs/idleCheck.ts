/** A tab that does not answer within this time, in milliseconds, counts as busy. */
const ANSWER_TIMEOUT_MS = 1_000;

type IdleMessage =
  | { readonly t: "question"; readonly id: string }
  | { readonly t: "answer"; readonly id: string; readonly tab: string; readonly calm: boolean };

export interface IdleWire {
  postMessage(message: IdleMessage): void;
  onmessage: ((event: { data: unknown }) => void) | null;
}

export interface IdleCheckDeps {
  readonly wire: IdleWire;
  /** This tab's name. */
  readonly tab: string;
  /** The names of the other open tabs; empty without Web Locks. */
  otherTabs(): Promise<readonly string[]>;
  /** Whether this page can load again without losing anything: no form is filled in and no purchase is in progress. */
  isIdle(): boolean;
  newId(): string;
  after(ms: number, action: () => void): void;
}

export interface IdleCheck {
  /** Whether every tab of the browser can load again without losing anything. */
  isEveryTabIdle(): Promise<boolean>;
}

export function createIdleCheck({ wire, tab, otherTabs, isIdle, newId, after }: IdleCheckDeps): IdleCheck {
  const questions = new Map<string, (answer: { tab: string; calm: boolean }) => void>();
  wire.onmessage = ({ data }) => {
    const message = data as IdleMessage;
    if (message.t === "answer") questions.get(message.id)?.(message);
    else wire.postMessage({ t: "answer", id: message.id, tab, calm: isIdle() });
  };
  return {
    async isEveryTabIdle() {
      if (!isIdle()) return false;
      const missing = new Set(await otherTabs());
      const id = newId();
      return new Promise((resolve) => {
        const end = (calm: boolean): void => {
          questions.delete(id);
          resolve(calm);
        };
        // Without Web Locks the other tabs are unknown: only a busy one ends this early.
        after(ANSWER_TIMEOUT_MS, () => end(missing.size === 0 && isIdle()));
        questions.set(id, (answer) => {
          missing.delete(answer.tab);
          if (!answer.calm) end(false);
        });
        wire.postMessage({ t: "question", id });
      });
    },
  };
}
