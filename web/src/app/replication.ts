import type { UnknownAction } from "@reduxjs/toolkit";
import type { Program } from "../eventlog/live";
import { type History, upcastCarried, versionOf } from "../eventlog/upcasters";
import { isBrowserScoped, type RootState } from "../slices";
import { selectViewer } from "../slices/auth";
import { factsHeard } from "../slices/tabs";
import type { Fact } from "./bus";

/** The root reducer of a page, which notes what the other tabs are to hear. It folds exactly as the pure one does. */
export interface NotingReducer {
  reducer(state: RootState | undefined, action: UnknownAction): RootState;
  /** What was noted since the last call. */
  take(): Fact[];
}

export function createNotingReducer(program: Pick<Program<RootState>, "reducer" | "upcasters">): NotingReducer {
  let facts: Fact[] = [];
  return {
    reducer(state, action) {
      const next = program.reducer(state, action);
      // What was heard from another tab has been told to all of them.
      if (state === undefined || factsHeard.match(action) || !isBrowserScoped(state, next)) return next;
      const { type, payload } = action;
      const type_version = versionOf(program, type);
      facts.push({
        type,
        // A tab may hear one of an older build.
        ...(type_version > 1 && { type_version }),
        ...(payload !== undefined && { payload }),
        user: selectViewer(state) ?? selectViewer(next),
      });
      return next;
    },
    take() {
      const noted = facts;
      facts = [];
      return noted;
    },
  };
}

/** What another tab told, as this build tells it. A newer build's shape nobody here can read: what has one is left out. */
export const readable = (history: History, facts: readonly Fact[]): Fact[] =>
  facts
    .filter(({ type, type_version = 1 }) => type_version <= versionOf(history, type))
    .map((fact) => upcastCarried(history, fact));
