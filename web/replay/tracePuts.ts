import { createRequire } from "node:module";
import { recordPut } from "../src/eventlog/puts";

type Put = (...args: readonly unknown[]) => { readonly payload: { readonly action: object } };

/** Frames above the saga: this module's, and those of the typed effect. */
const STACK_DEPTH = 8;
/** A frame of the product's code, in a stack whose positions are mapped to the sources. */
const FRAME = /^\s*at (?:(\S+) \()?(?:.*\/)?(src\/(?!eventlog\/)\S+?:\d+):\d+\)?$/m;

/** The source line of a stack, with its function: `src/sagas/purchase.ts:44 (purchaseSaga)`. */
export function sourceIn(stack: string): string | undefined {
  const [, name, line] = FRAME.exec(stack) ?? [];
  return line === undefined ? undefined : `${line}${name === undefined ? "" : ` (${name.replace(/\.next$/, "")})`}`;
}

/**
 * Records the source line of every `put` of this process. The effect is made while the saga runs, and its action is
 * dispatched when the saga waits and is on no stack.
 */
export function tracePuts(): void {
  // A bundle's positions are mapped to its sources only if it is loaded after this.
  process.setSourceMapsEnabled(true);
  const effects = createRequire(createRequire(import.meta.url).resolve("redux-saga"))("@redux-saga/core/effects");
  const put = effects.put as Put;
  effects.put = (...args: readonly unknown[]) => {
    const effect = put(...args);
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = STACK_DEPTH;
    const error = new Error("put");
    Error.stackTraceLimit = stackTraceLimit;
    recordPut(effect.payload.action, () => sourceIn(error.stack ?? ""));
    return effect;
  };
}
