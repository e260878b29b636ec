import { expect, it } from "vitest";
import { rootReducer } from "../slices";
import { preferencesActions } from "../slices/preferences";
import { factsHeard } from "../slices/tabs";
import { toastActions } from "../slices/toast";
import { createNotingReducer } from "./facts";

const kept = preferencesActions.kept({ name: "view", value: "cards", expires_at: 1 });
const begun = rootReducer(undefined, { type: "begun" });

it("notes what belongs to the viewer, in the shape it has here, and nothing that was heard", () => {
  const upcasters = { [kept.type]: [(payload: unknown) => payload, (payload: unknown) => payload] };
  const noting = createNotingReducer({ reducer: rootReducer, upcasters });
  const state = noting.reducer(begun, kept);
  noting.reducer(state, toastActions.wanted({ text: "Only here" }));
  noting.reducer(begun, factsHeard({ facts: [kept] }));
  expect(noting.take()).toEqual([{ ...kept, type_version: 3, user: null }]);
  expect(noting.take()).toEqual([]);
});

it("tells no version of a shape that never changed: tabs of older builds hear what they always heard", () => {
  const noting = createNotingReducer({ reducer: rootReducer });
  noting.reducer(begun, kept);
  expect(noting.take()).toEqual([{ ...kept, user: null }]);
});
