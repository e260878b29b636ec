import { PortError, type PortErrorJson } from "../ports/error";
import type { Done, World } from "../ports/world";
import { createCallNames, DRAW, identityOf, type MethodTable, NEW_ID } from "./calls";
import type { Origin } from "./envelope";
import { digest } from "./hash";
import { plain, plainInParts } from "./plain";
import type { Defer, Recorder } from "./recorder";
import type { Turns } from "./turns";

/** The subset of AbortSignal common to all realms, declared without the DOM's types. */
export interface CallSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
}

// The core compiles without the DOM library, but every realm it runs in has this class.
declare const AbortController: new () => { readonly signal: CallSignal; abort(): void };

/** The real world behind the gate. */
export interface Ports {
  /**
   * Answers a call, now or later; throws or rejects with a `PortError`. `signal` aborts when nobody waits for the
   * answer any more.
   */
  call(method: string, args: object, signal: CallSignal): unknown;
  /** A number in [0, 1). */
  draw(): number;
  /** A UUIDv7 in lower case. */
  newId(): string;
}

/** Observes open calls. `closed` follows each `opened`, whether answered or cancelled. */
export interface CallWatch {
  opened(call: string, method: string, args: object): void;
  closed(call: string): void;
}

export interface GateOptions {
  readonly turns: Turns;
  readonly recorder: Recorder;
  readonly methods: MethodTable;
  readonly ports: Ports;
  /** Delays copying the rest of a large answer; absent: immediate. */
  readonly defer?: Defer | undefined;
  readonly watch?: CallWatch | undefined;
}

/** The door between sagas and the world: it alone holds promises. */
export interface Gate {
  readonly world: World;
  /** The open calls by name, oldest first. */
  open(): string[];
  /** Number of calls per name of the open calls, for a snapshot. */
  counters(): Record<string, number>;
}

type Answer = { readonly ok: unknown } | { readonly err: PortErrorJson };

const failed = (thrown: unknown): Answer => ({
  err: plain(PortError.from(thrown).toJSON()) as unknown as PortErrorJson,
});

/** Parts of an answer copied per step. */
const PARTS_PER_STEP = 20;

/** Copies an answer for `settle`. An answer that isn't JSON is its port's defect, and a failure like any other. */
function answered(value: unknown, settle: (answer: Answer) => void, defer: Defer | undefined): void {
  const copying = plainInParts(value);
  let remaining = PARTS_PER_STEP;
  const continueCopy = (goesOn: () => boolean): void => {
    try {
      let step: IteratorResult<void, unknown>;
      do step = copying.next();
      while (!step.done && (!defer || goesOn()));
      if (step.done) settle({ ok: step.value });
      else defer?.(continueCopy);
    } catch (error) {
      settle(failed(error));
    }
  };
  continueCopy(() => --remaining > 0);
}

export function createGate({ turns, recorder, methods, ports, defer, watch }: GateOptions): Gate {
  const names = createCallNames();
  const open = new Map<string, Done>();

  /** Closes a call; returns whether it was open. */
  function closed(call: string): boolean {
    const wasOpen = open.delete(call);
    if (wasOpen) watch?.closed(call);
    return wasOpen;
  }

  function callPort(method: string, args: object, done: Done): void {
    const call = names.next(method, identityOf(methods, method, args));
    const origin: Origin = methods[method]?.origin ?? "api";
    const argsDigest = digest(args);
    const openedAt = turns.now().mono;
    const controller = new AbortController();
    open.set(call, done);
    watch?.opened(call, method, args);
    done.cancel = () => {
      if (closed(call)) controller.abort();
    };

    // The answer's line precedes the answer, and both belong to a turn of their own.
    const settle = (answer: Answer): void => {
      if (!open.has(call)) return;
      turns.run(() => {
        if (!closed(call)) return;
        const took = origin === "api" ? Math.round(turns.now().mono - openedAt) : 0;
        recorder.effect(origin, method, { ...answer, args: argsDigest, ...(took > 0 ? { took } : {}) }, call);
        if ("ok" in answer) done(null, answer.ok);
        else done(new PortError(answer.err));
      });
    };
    startCall(method, args, controller.signal).then(
      (value) => answered(value, settle, defer),
      (thrown) => settle(failed(thrown)),
    );
  }

  async function startCall(method: string, args: object, signal: CallSignal): Promise<unknown> {
    return ports.call(method, args, signal);
  }

  function drawn<T>(type: string, purpose: string, source: () => T): T {
    const value = source();
    recorder.effect("saga", type, { ok: value }, names.next(type, purpose));
    return value;
  }

  return {
    world: {
      now: () => turns.now().at,
      call: callPort,
      draw: (purpose) => drawn(DRAW, purpose, ports.draw),
      newId: (purpose) => drawn(NEW_ID, purpose, ports.newId),
    },
    open: () => [...open.keys()],
    counters: () => names.counters([...open.keys()]),
  };
}
