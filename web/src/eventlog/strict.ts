import type { EffectMiddleware } from "redux-saga";

interface Described {
  readonly type: string;
  readonly payload: {
    readonly fn?: (...args: unknown[]) => unknown;
    readonly context?: unknown;
    readonly args?: unknown[];
    readonly action?: object;
    readonly resolve?: boolean;
    readonly channel?: unknown;
  };
}

const isPromise = (value: unknown): boolean =>
  typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";

const isWorld = (context: unknown): boolean =>
  typeof context === "object" && context !== null && "call" in context && "newId" in context;

function refuse(what: string): never {
  throw new Error(`${what}: sagas reach the world only through callPort, sleep, draw and newId`);
}

/**
 * Rejects, at once and by name, operations that a saga may not do because they can't be replayed: a promise, its own
 * timer, an event channel, a callback outside the gate, or an action that isn't fresh plain JSON. Used by tests as an
 * effect middleware of the store.
 */
export function createStrictEffects(): EffectMiddleware {
  const used = new WeakSet<object>();

  function checkPut({ action, resolve, channel }: Described["payload"]): void {
    if (resolve) refuse("putResolve");
    if (channel || !action) return;
    const { type, payload, ...rest } = action as { type: string; payload?: unknown };
    if (Object.isFrozen(action)) refuse(`put of a frozen ${type}`);
    if (used.has(action)) refuse(`put of one ${type} twice`);
    used.add(action);
    if (Object.keys(rest).length > 0) refuse(`put of ${type} with ${Object.keys(rest).join(", ")}`);
    if (!isPlain(payload)) refuse(`put of ${type} with a payload that is not plain JSON`);
  }

  function checked(fn: (...args: unknown[]) => unknown, name: string) {
    return function (this: unknown, ...args: unknown[]): unknown {
      const result = fn.apply(this, args);
      if (isPromise(result)) refuse(`${name} returned a promise`);
      return result;
    };
  }

  return (next) => (effect: unknown) => {
    if (isPromise(effect)) refuse("a promise was yielded");
    const described = effect as Described | undefined;
    const payload = described?.payload;
    if (!payload) return next(effect);
    switch (described.type) {
      case "PUT":
        checkPut(payload);
        return next(effect);
      case "TAKE":
        if (isEventChannel(payload.channel)) refuse("an event channel was taken from");
        return next(effect);
      case "CPS":
        if (!isWorld(payload.context)) refuse("cps");
        return next(effect);
      case "CALL":
      case "FORK": {
        const { fn } = payload;
        if (!fn) return next(effect);
        return next({ ...described, payload: { ...payload, fn: named(checked(fn, fn.name), fn.name) } });
      }
      default:
        return next(effect);
    }
  };
}

/** Preserves the name that redux-saga's own errors use for a function. */
function named<T extends object>(fn: T, name: string): T {
  return Object.defineProperty(fn, "name", { value: name });
}

// An event channel can be taken from and closed, but not put into.
function isEventChannel(channel: unknown): boolean {
  return typeof channel === "object" && channel !== null && "close" in channel && !("put" in channel);
}

/** A circular payload isn't JSON either. */
function isPlain(payload: unknown): boolean {
  try {
    return isJson(payload);
  } catch {
    return false;
  }
}

function isJson(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value);
    case "object": {
      if (Array.isArray(value)) return value.every(isJson);
      const prototype: unknown = Object.getPrototypeOf(value);
      return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isJson);
    }
    default:
      return false;
  }
}
