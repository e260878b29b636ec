import type { Done, World } from "../ports/ask";
import { PortError } from "../ports/error";
import { createCallNames, DRAW, identityOf, type MethodTable, NEW_ID } from "./calls";
import type { EffectLine } from "./envelope";
import { digest } from "./hash";

interface OpenCall {
  readonly done: Done;
  readonly asked: string;
}

/** What the recorded world is told of the replay around it. */
export interface ReplayWorldHooks {
  /** The turn's instant. */
  now(): number;
  /** The next line's recorded draw of this name; undefined if it is another line, and the replay has diverged. */
  drawn(call: string): { readonly value: unknown } | undefined;
}

/** The world that answers from a log. */
export interface ReplayWorld {
  readonly world: World;
  /** The digest of what the call that the line names was made with; undefined if it does not wait. */
  asked(call: string): string | undefined;
  /** Answers the call that the line names, if it waits, as the line does. */
  answer(line: EffectLine): void;
  open(): string[];
  counters(): Record<string, number>;
}

// What a saga is given for a draw that the log does not have: no error, which it could catch, but a value; its next
// effect is never run.
const NO_NUMBER = 0;
const NO_ID = "00000000-0000-7000-8000-000000000000";

/** Makes the world of one replay. */
export function createReplayWorld(
  methods: MethodTable,
  counters: Readonly<Record<string, number>>,
  hooks: ReplayWorldHooks,
): ReplayWorld {
  const names = createCallNames(counters);
  const open = new Map<string, OpenCall>();

  function drawn<T>(type: string, purpose: string, otherwise: T): T {
    const found = hooks.drawn(names.next(type, purpose));
    return found ? (found.value as T) : otherwise;
  }

  return {
    world: {
      now: hooks.now,
      ask(method: string, args: object, done: Done) {
        const call = names.next(method, identityOf(methods, method, args));
        open.set(call, { done, asked: digest(args) });
        done.cancel = () => open.delete(call);
      },
      draw: (purpose) => drawn(DRAW, purpose, NO_NUMBER),
      newId: (purpose) => drawn(NEW_ID, purpose, NO_ID),
    },
    asked: (call) => open.get(call)?.asked,
    answer({ call, payload }) {
      const waiting = open.get(call);
      if (!waiting) return;
      open.delete(call);
      if ("ok" in payload) waiting.done(null, payload.ok);
      else waiting.done(new PortError(payload.err));
    },
    open: () => [...open.keys()],
    counters: names.counters,
  };
}
