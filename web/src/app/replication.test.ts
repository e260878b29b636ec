import { expect, it } from "vitest";
import { rootReducer } from "../slices";
import { preferencesActions } from "../slices/preferences";
import { factsHeard } from "../slices/tabs";
import { toastActions } from "../slices/toast";
import { createNotingReducer, readable } from "./replication";

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

it("reads what an older build tells in its shape, and leaves out what a newer one tells in a shape of its own", () => {
  const upcasters = { [kept.type]: [(payload: unknown) => ({ ...(payload as object), value: "list" })] };
  const told = (type_version: number) => ({ ...kept, type_version });
  expect(readable({ upcasters }, [told(1), told(2), told(3)])).toEqual([
    { ...kept, type_version: 2, payload: { ...kept.payload, value: "list" } },
    told(2),
  ]);
});
