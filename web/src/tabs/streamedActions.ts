import type { UnknownAction } from "@reduxjs/toolkit";
import type { Program } from "../eventlog/live";
import { isForFollowers, type RootState } from "../slices";
import { tabActions } from "../slices/tabs";

/** A page's root reducer, which collects the actions for followers. It folds exactly like the pure one. */
export interface CollectingReducer {
  reducer(state: RootState | undefined, action: UnknownAction): RootState;
  /** The actions collected since the last call. */
  take(): { type: string; payload?: unknown }[];
}

export function createNotingReducer(program: Pick<Program<RootState>, "reducer">): CollectingReducer {
  let collected: { type: string; payload?: unknown }[] = [];
  return {
    reducer(state, action) {
      const next = program.reducer(state, action);
      if (!state?.tabs?.leads || tabActions.led.match(action)) return next;
      if (!isForFollowers(state, next, action)) return next;
      const { type, payload } = action;
      collected.push(payload === undefined ? { type } : { type, payload });
      return next;
    },
    take() {
      const actions = collected;
      collected = [];
      return actions;
    },
  };
}
