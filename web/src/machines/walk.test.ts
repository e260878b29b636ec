import { readFileSync } from "node:fs";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { analyticsSession } from "./analyticsSession";
import { auth } from "./auth";
import { autoRenew } from "./autoRenew";
import { clip } from "./clip";
import { connection } from "./connection";
import { form } from "./form";
import { machines } from "./index";
import {
  AbsentMoveError,
  absentMoveCount,
  type Cell,
  hearAbsentMoves,
  type Machine,
  type State,
  step,
} from "./machine";
import { outboxItem, outboxRun } from "./outbox";
import { machinesPage } from "./page";
import { preroll } from "./preroll";
import { type Purchase, purchase } from "./purchase";
import { startup } from "./startup";
import * as facts from "./testing/facts";

type Anything = Machine<State, Record<string, unknown>>;
type AnySamples = Readonly<Record<string, readonly unknown[]>>;

const walks: [Anything, AnySamples][] = [
  [startup, facts.startupFacts],
  [connection, facts.connectionFacts],
  [auth, facts.authFacts],
  [form, facts.formFacts],
  [purchase, facts.purchaseFacts],
  [autoRenew, facts.autoRenewFacts],
  [clip, facts.clipFacts],
  [preroll, facts.prerollFacts],
  [analyticsSession, facts.analyticsSessionFacts],
  [outboxRun, facts.outboxRunFacts],
  [outboxItem, facts.outboxItemFacts],
] as never;

const cellOf = (machine: Anything, at: string, fact: string): Cell<State, string, unknown> | undefined =>
  (machine.table[at] as Record<string, Cell<State, string, unknown>>)[fact];

/** More than any machine has of them under these samples; an endless one is a defect. */
const MOST_STATES = 5_000;

/** Every state that the samples lead to. */
function reachable(machine: Anything, samples: AnySamples): State[] {
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
        if (found.size > MOST_STATES) throw new Error(`${machine.name}: too many states`);
      }
    }
  return [...found.values()];
}

// What counts without end is followed for a few rounds.
const attemptsOf = (state: State): number => (state as { attempt?: number }).attempt ?? 0;

beforeEach(() =>
  hearAbsentMoves((error) => {
    throw error;
  }),
);
afterEach(() => hearAbsentMoves(null));

it("every machine is walked", () => {
  expect(walks.map(([machine]) => machine.name)).toEqual(machines.map(({ name }) => name));
});

describe.each(walks.map(([machine, samples]) => ({ name: machine.name, machine, samples })))(
  "$name",
  ({ machine, samples }) => {
    const states = reachable(machine, samples);

    it("reaches every one of its states", () => {
      expect(new Set(states.map(({ at }) => at))).toEqual(new Set(Object.keys(machine.table)));
    });

    it("has a sample of every fact", () => {
      expect(Object.keys(samples).sort()).toEqual([...machine.facts].sort());
    });

    it("goes from every state on every fact where its table says, and nowhere else", () => {
      const reached = new Set<string>();
      for (const state of states)
        for (const fact of machine.facts)
          for (const payload of samples[fact] ?? []) {
            const cell = cellOf(machine, state.at, fact);
            const before = JSON.stringify(state);
            if (cell === undefined) {
              expect(() => step(machine, state, fact, payload)).toThrow(AbsentMoveError);
            } else {
              const next = step(machine, state, fact, payload);
              if (cell === "ignore") expect(next).toBe(state);
              else expect(cell.to).toContain(next.at);
              expect(JSON.parse(JSON.stringify(next))).toEqual(next);
              reached.add(`${state.at} ${fact} ${next.at}`);
            }
            expect(JSON.stringify(state)).toBe(before);
          }
      for (const [at, row] of Object.entries(machine.table))
        for (const [fact, cell] of Object.entries(row))
          if (cell !== "ignore")
            for (const to of (cell as Exclude<Cell<State, string, unknown>, "ignore">).to)
              expect(reached).toContain(`${at} ${fact} ${to}`);
    });

    it("is never stuck: from every state some fact leads elsewhere", () => {
      for (const { at } of states) {
        if (machine.name === "outboxItem" && (at === "done" || at === "dead")) continue;
        const ways = machine.facts.flatMap((fact) => {
          const cell = cellOf(machine, at, fact);
          return cell === undefined || cell === "ignore" ? [] : cell.to;
        });
        expect(ways.filter((to) => to !== at)).not.toEqual([]);
      }
    });
  },
);

describe("an absent move", () => {
  it("is counted and changes nothing where nobody listens", () => {
    hearAbsentMoves(null);
    const before = absentMoveCount();
    expect(step(purchase, purchase.initial, "confirmed", undefined)).toBe(purchase.initial);
    expect(absentMoveCount()).toBe(before + 1);
  });
});

describe("a purchase, whatever happens", () => {
  const moves = fc.array(
    fc.constantFrom(
      ...Object.entries(facts.purchaseFacts as AnySamples).flatMap(([fact, payloads]) =>
        payloads.map((payload) => ({ fact, payload })),
      ),
    ),
    { maxLength: 40 },
  );
  const follow = (check: (before: Purchase, fact: string, after: Purchase) => void) =>
    fc.assert(
      fc.property(moves, (walk) => {
        let state: Purchase = purchase.initial;
        for (const { fact, payload } of walk) {
          if (cellOf(purchase as never, state.at, fact) === undefined) continue;
          const next: Purchase = step(purchase, state, fact as never, payload as never);
          check(state, fact, next);
          state = next;
        }
      }),
      { numRuns: 2_000, seed: 4 },
    );

  it("keeps its key, its request and its order until it ends", () => {
    follow((before, fact, after) => {
      if (!("key" in before && "key" in after)) return;
      expect(after.key).toBe(before.key);
      if (fact !== "cardHeld") expect(after.request).toBe(before.request);
      if ("orderId" in before && before.orderId !== null && "orderId" in after)
        expect(after.orderId).toBe(before.orderId);
    });
  });

  it("never takes an order back to an older version", () => {
    follow((before, _, after) => {
      if ("version" in before && "version" in after) expect(after.version).toBeGreaterThanOrEqual(before.version);
    });
  });

  it("leaves an end only for a new purchase", () => {
    follow((before, fact, after) => {
      if (before.at !== "succeeded" && before.at !== "failed") return;
      if (after.at !== before.at) expect(["opened", "submitted", "refused", "abandoned"]).toContain(fact);
    });
  });

  it("succeeds by its own paid order alone", () => {
    follow((before, fact, after) => {
      if (after.at !== "succeeded" || before.at === "succeeded") return;
      expect(fact).toBe("orderSeen");
      expect(before).toHaveProperty("orderId", after.orderId);
    });
  });

  it("asks the bank's question once per order that was confirmed", () => {
    follow((before, _, after) => {
      if ("confirmed" in before && before.confirmed && "confirmed" in after) expect(after.confirmed).toBe(true);
    });
  });
});

it("docs/machines.md says what the tables say", () => {
  const written = readFileSync(new URL("../../../docs/machines.md", import.meta.url), "utf8");
  expect(written).toBe(machinesPage(machines));
});
