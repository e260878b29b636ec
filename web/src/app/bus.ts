import type { Id } from "../contracts/resources";
import type { Position } from "./persist/snapshots";

/** A browser-scoped action, as the other tabs are to hear it. */
export interface Fact {
  readonly type: string;
  /** The shape of the payload; absent: 1. */
  readonly type_version?: number;
  readonly payload?: unknown;
  /** In whose session it was told, null for nobody's; absent: an older build does not tell. */
  readonly user?: Id | null;
}

/** What a tab dispatched in one turn, and the line of its log that it was recorded up to. */
export interface Told {
  readonly facts: readonly Fact[];
  readonly position: Position;
  /** Which tab it was; absent: an older build does not tell. */
  readonly tab?: string;
}

/** Of what something waits: what the viewer sees, or analytics. */
export type Nudge = "seen" | "analytics";

type Message =
  | ({ readonly t: "facts" } & Told)
  /** Something waits in the outbox, which the holder drains. */
  | { readonly t: "nudge"; readonly of: Nudge }
  /** Asks the holder to store what it knows. */
  | { readonly t: "store"; readonly tab: string; readonly id: number }
  /** It did, or why it could not. */
  | { readonly t: "stored"; readonly tab: string; readonly id: number; readonly failure?: string }
  /** Asks which tabs are there. */
  | { readonly t: "who"; readonly tab: string }
  | { readonly t: "here"; readonly tab: string; readonly to: string };

/** The part of a BroadcastChannel that is used here. */
export interface Wire {
  postMessage(message: unknown): void;
  onmessage: ((event: { data: unknown }) => void) | null;
}

export interface BusParts {
  wire: Wire;
  tab: string;
  heard(told: Told): void;
  nudged(of: Nudge): void;
  /** Whether this tab is the one that writes what belongs to the viewer. */
  isHolder(): boolean;
  /** The holder's own storing. */
  store(): Promise<void>;
  after(ms: number, run: () => void): void;
}

/** How the tabs of a browser tell each other of what belongs to the viewer. */
export interface Bus {
  tell(told: Told): void;
  nudge(of: Nudge): void;
  /** Settles once the holder has stored all that this tab told it; rejects where it cannot, or does not in time. */
  stored(): Promise<void>;
  /** The other tabs that answer now, for browsers that have no Web Locks to tell it. */
  others(): Promise<string[]>;
}

/** How long the holder may take before it is asked again: it may just have gone, and another be elected. */
const PATIENCE_MS = 1000;
/** How often it is asked. A tab that holds on to its place and never answers must not hold up the others' processes. */
const ASKED = 10;
/** How long the other tabs are given to say that they are there. */
const ANSWER_MS = 200;

export function createBus({ wire, tab, heard, nudged, isHolder, store, after }: BusParts): Bus {
  const waiting = new Map<number, (failure?: string) => void>();
  /** Who answered, for each who asked. */
  const roundUps = new Set<Set<string>>();
  let asked = 0;

  const post = (message: Message): void => wire.postMessage(message);

  async function answer({ tab: asker, id }: { tab: string; id: number }): Promise<void> {
    const failure = await store().then(
      () => undefined,
      (error: unknown) => String(error),
    );
    post({ t: "stored", tab: asker, id, ...(failure === undefined ? {} : { failure }) });
  }

  wire.onmessage = ({ data }) => {
    const message = data as Message;
    if (message.t === "facts") heard(message);
    else if (message.t === "nudge" && isHolder()) nudged(message.of);
    else if (message.t === "store" && isHolder()) void answer(message);
    else if (message.t === "stored" && message.tab === tab) waiting.get(message.id)?.(message.failure);
    else if (message.t === "who") post({ t: "here", tab, to: message.tab });
    else if (message.t === "here" && message.to === tab && message.tab !== tab) {
      for (const found of roundUps) found.add(message.tab);
    }
  };

  function stored(): Promise<void> {
    return new Promise((resolve, reject) => {
      const id = ++asked;
      let isOver = false;
      let asks = 0;
      const end = (): void => {
        isOver = true;
        waiting.delete(id);
      };
      waiting.set(id, (failure) => {
        end();
        if (failure === undefined) resolve();
        else reject(new Error(failure));
      });
      const ask = (): void => {
        if (isOver) return;
        if (isHolder()) {
          end();
          store().then(resolve, reject);
          return;
        }
        if (asks === ASKED) {
          end();
          reject(new Error("the holder does not answer"));
          return;
        }
        asks += 1;
        post({ t: "store", tab, id });
        after(PATIENCE_MS, ask);
      };
      ask();
    });
  }

  function others(): Promise<string[]> {
    const found = new Set<string>();
    roundUps.add(found);
    post({ t: "who", tab });
    // A page in the background answers at once: messages are not held back as its timers are.
    return new Promise((resolve) => {
      after(ANSWER_MS, () => {
        roundUps.delete(found);
        resolve([...found].sort());
      });
    });
  }

  return { tell: (told) => post({ t: "facts", ...told }), nudge: (of) => post({ t: "nudge", of }), stored, others };
}
