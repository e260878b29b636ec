import fc from "fast-check";
import { expect, it } from "vitest";
import { type Connection, connection } from "./connection";
import { step } from "./machine";
import { connectionFacts } from "./testing/facts";
import { type AnySamples, cellOf } from "./testing/walks";

const facts = Object.entries(connectionFacts as AnySamples).flatMap(([fact, payloads]) =>
  payloads.map((payload) => ({ fact, payload })),
);

it("another viewer's position is discarded in every state, which stays the same unless a socket was open", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...facts), { maxLength: 20 }), (walk) => {
      let state: Connection = connection.initial;
      for (const { fact, payload } of walk) {
        if (cellOf(connection as never, state.at, fact) === undefined) continue;
        const next: Connection = step(connection, state, fact as never, payload as never);
        if (fact === "positionDropped")
          expect(next).toEqual(state.at === "live" ? { at: "offline", resume: null } : { ...state, resume: null });
        state = next;
      }
    }),
    { numRuns: 2_000, seed: 4 },
  );
});
