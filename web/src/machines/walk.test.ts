import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { machines } from "./index";
import { AbsentMoveError, onAbsentMove, step } from "./machine";
import { purchase } from "./purchase";
import { type AnyCell, cellOf, reachable, walks } from "./testing/walks";

beforeEach(() => {
  onAbsentMove((error) => {
    throw error;
  });
});
afterEach(() => {
  onAbsentMove(null);
});

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
            for (const to of (cell as Exclude<AnyCell, "ignore">).to) expect(reached).toContain(`${at} ${fact} ${to}`);
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
  it("reaches the listener, and changes nothing", () => {
    const messages: string[] = [];
    onAbsentMove(({ message }) => messages.push(message));
    expect(step(purchase, purchase.initial, "confirmed", { key: "k1" })).toBe(purchase.initial);
    expect(messages).toEqual(["purchase: no move from preparing on confirmed"]);
    onAbsentMove(null);
    expect(step(purchase, purchase.initial, "confirmed", { key: "k1" })).toBe(purchase.initial);
  });
});
