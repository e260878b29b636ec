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
  typeof context === "object" && context !== null && "ask" in context && "newId" in context;

function refuse(what: string): never {
  throw new Error(`${what}: sagas reach the world through ask, sleep, draw and newId alone`);
}

/**
 * Refuses, at once and by name, what a saga may not do because it could not be replayed: touch a promise, wait on a
 * timer of its own, use an event channel, call back outside the gate, put an action that is not fresh plain JSON.
 * For tests: give it to the store as an effect middleware.
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

/** Keeps the name by which redux-saga's own errors call a function. */
function named<T extends object>(fn: T, name: string): T {
  return Object.defineProperty(fn, "name", { value: name });
}

// An event channel can be taken from and closed, but nothing can be put into it.
function isEventChannel(channel: unknown): boolean {
  return typeof channel === "object" && channel !== null && "close" in channel && !("put" in channel);
}

/** A payload that goes round in a circle is not JSON either. */
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
