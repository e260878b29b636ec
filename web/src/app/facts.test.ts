import { expect, it } from "vitest";
import { rootReducer } from "../slices";
import { preferencesActions } from "../slices/preferences";
import { queryActions } from "../slices/queries";
import { factsHeard } from "../slices/tabs";
import { toastActions } from "../slices/toast";
import { createNotingReducer, factsFor } from "./facts";

const kept = preferencesActions.kept({ name: "view", value: "cards", expires_at: 1 });
const begun = rootReducer(undefined, { type: "begun" });

it("notes what belongs to the viewer, in the shape it has here, and nothing that was heard", () => {
  const upcasters = { [kept.type]: [(payload: unknown) => payload, (payload: unknown) => payload] };
  const noting = createNotingReducer({ reducer: rootReducer, upcasters });
  const state = noting.reducer(begun, kept);
  noting.reducer(state, toastActions.wanted({ text: "Only here" }));
  noting.reducer(begun, factsHeard({ facts: [kept] }));
  expect(noting.take()).toEqual([{ ...kept, type_version: 3 }]);
  expect(noting.take()).toEqual([]);
});

it("tells no version of a shape that never changed: tabs of older builds hear what they always heard", () => {
  const noting = createNotingReducer({ reducer: rootReducer });
  noting.reducer(begun, kept);
  expect(noting.take()).toEqual([kept]);
});

it("hands on all but what was read for somebody else", () => {
  const read = queryActions.loaded({ method: "api.listFavourites", args: {}, answer: [], at: 1 });
  const told = { facts: [kept, read], position: { log: "l1", seq: 1 } };
  for (const here of [7, null]) {
    expect(factsFor(told, here)).toEqual([kept, read]);
    expect(factsFor({ ...told, user: here }, here)).toEqual([kept, read]);
    expect(factsFor({ ...told, user: 8 }, here)).toEqual([kept]);
  }
  expect(factsFor({ ...told, user: null }, 7)).toEqual([kept]);
});
