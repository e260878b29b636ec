import { PortError, type PortErrorJson } from "../ports/error";
import type { Done, World } from "../ports/world";
import { createCallNames, DRAW, identityOf, type MethodTable, NEW_ID } from "./calls";
import type { EffectLine } from "./envelope";
import { digest } from "./hash";

interface OpenCall {
  readonly done: Done;
  readonly request: string;
}

/** The replay's functions for the recorded world. */
export interface ReplayWorldHooks {
  /** The turn's instant. */
  now(): number;
  /** The next line's recorded draw of this name; undefined if it is another line, and the replay has diverged. */
  drawn(call: string): { readonly value: unknown } | undefined;
  /** The error of a call that failed; absent: this build's. */
  readonly portError?: ((error: PortErrorJson) => Error) | undefined;
}

/** The world that answers from a log. */
export interface ReplayWorld {
  readonly world: World;
  /** The digest of the arguments of the line's call; undefined if it isn't open. */
  digestOf(call: string): string | undefined;
  /** Answers the line's call, if it is open, as the line does. */
  answer(line: EffectLine): void;
  open(): string[];
  counters(): Record<string, number>;
}

// The value of a draw that the log lacks. Not an error, which a saga could catch; its next effect is never run.
const NO_NUMBER = 0;
const NO_ID = "00000000-0000-7000-8000-000000000000";

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
      call(method: string, args: object, done: Done) {
        const call = names.next(method, identityOf(methods, method, args));
        open.set(call, { done, request: digest(args) });
        done.cancel = () => open.delete(call);
      },
      draw: (purpose) => drawn(DRAW, purpose, NO_NUMBER),
      newId: (purpose) => drawn(NEW_ID, purpose, NO_ID),
    },
    digestOf: (call) => open.get(call)?.request,
    answer({ call, payload }) {
      const waiting = open.get(call);
      if (!waiting) return;
      open.delete(call);
      if ("ok" in payload) waiting.done(null, payload.ok);
      else waiting.done(hooks.portError?.(payload.err) ?? new PortError(payload.err));
    },
    open: () => [...open.keys()],
    counters: () => names.counters([...open.keys()]),
  };
}
