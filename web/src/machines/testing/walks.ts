import { analyticsSession } from "../analyticsSession";
import { auth } from "../auth";
import { autoRenew } from "../autoRenew";
import { clip } from "../clip";
import { connection } from "../connection";
import { form } from "../form";
import { login } from "../login";
import { type Cell, type Machine, type State, step } from "../machine";
import { analyticsOutboxRun, outboxItem, outboxRun } from "../outbox";
import { preroll } from "../preroll";
import { purchase } from "../purchase";
import { reachability } from "../reachability";
import { startup } from "../startup";
import * as facts from "./facts";

export type AnyCell = Cell<State, string, unknown>;
export type AnyMachine = Machine<State, Record<string, unknown>>;
export type AnySamples = Readonly<Record<string, readonly unknown[]>>;

/** Every machine, with payloads that together reach every state. */
export const walks: readonly (readonly [machine: AnyMachine, samples: AnySamples])[] = [
  [startup, facts.startupFacts],
  [reachability, facts.reachabilityFacts],
  [connection, facts.connectionFacts],
  [auth, facts.authFacts],
  [login, facts.loginFacts],
  [form, facts.formFacts],
  [purchase, facts.purchaseFacts],
  [autoRenew, facts.autoRenewFacts],
  [clip, facts.clipFacts],
  [preroll, facts.prerollFacts],
  [analyticsSession, facts.analyticsSessionFacts],
  [outboxRun, facts.outboxRunFacts],
  [analyticsOutboxRun, facts.outboxRunFacts],
  [outboxItem, facts.outboxItemFacts],
] as never;

/** The machines whose states are stored: each page checks again whether its channel is reachable. */
export const storedWalks = walks.filter(([machine]) => machine !== (reachability as unknown));

/** No machine has more states under these samples; an endless one is a defect. */
const MAX_STATES = 5_000;

export const cellOf = (machine: AnyMachine, at: string, fact: string): AnyCell | undefined =>
  (machine.table[at] as Record<string, AnyCell>)[fact];

/** Every state that the samples reach. */
export function reachable(machine: AnyMachine, samples: AnySamples): State[] {
  const found = new Map<string, State>([[JSON.stringify(machine.initial), machine.initial]]);
  const todo: State[] = [machine.initial];
  for (let state = todo.pop(); state !== undefined; state = todo.pop())
    for (const [fact, payloads] of Object.entries(samples)) {
      if (cellOf(machine, state.at, fact) === undefined) continue;
      for (const payload of payloads) {
        const next = step(machine, state, fact, payload);
        const text = JSON.stringify(next);
        if (found.has(text) || attemptsOf(next) > 3) continue;
        found.set(text, next);
        todo.push(next);
        if (found.size > MAX_STATES) throw new Error(`${machine.name}: too many states`);
      }
    }
  return [...found.values()];
}

// Unbounded counters are followed for a few rounds only.
const attemptsOf = (state: State): number => (state as { attempt?: number }).attempt ?? 0;
