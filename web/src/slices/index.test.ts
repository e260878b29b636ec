import { describe, expect, it } from "vitest";
import { browserScoped, rootReducer, tabScoped } from "./index";
import { purchaseActions } from "./purchase";
import { factsHeard } from "./tabs";
import { toastActions } from "./toast";

const INIT = { type: "@@init" };

describe("the root reducer", () => {
  it("gives every slice to exactly one scope; which tabs there are is kept in none", () => {
    const names = Object.keys(rootReducer(undefined, INIT)).sort();
    expect([...browserScoped, ...tabScoped, "tabs"].sort()).toEqual(names);
  });

  it("folds another tab's facts into what belongs to the viewer, and into nothing of this page", () => {
    const before = rootReducer(undefined, INIT);
    const facts = [
      purchaseActions.refused({ key: null, code: "id_not_selected", message: "id not selected" }),
      toastActions.shown({ id: "1", text: "of the other page", type: "info", until: 1 }),
    ];
    const after = rootReducer(before, factsHeard({ facts }));
    expect(after.purchase).toEqual({ at: "rejected", code: "id_not_selected", message: "id not selected" });
    expect(after.toast).toBe(before.toast);
  });
});
