import type { UnknownAction } from "@reduxjs/toolkit";
import { isBrowserScoped, type RootState, rootReducer } from "../slices";
import { factsHeard } from "../slices/tabs";
import type { Fact } from "./bus";

/** The root reducer of a page, which notes what the other tabs are to hear. It folds exactly as the pure one does. */
export interface NotingReducer {
  reducer(state: RootState | undefined, action: UnknownAction): RootState;
  /** What was noted since the last call. */
  take(): Fact[];
}

export function createNotingReducer(): NotingReducer {
  let facts: Fact[] = [];
  return {
    reducer(state, action) {
      const next = rootReducer(state, action);
      // What was heard from another tab has been told to all of them.
      if (state === undefined || factsHeard.match(action) || !isBrowserScoped(state, next)) return next;
      const { type, payload } = action;
      facts.push(payload === undefined ? { type } : { type, payload });
      return next;
    },
    take() {
      const noted = facts;
      facts = [];
      return noted;
    },
  };
}
