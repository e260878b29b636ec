import type { Action, Store, UnknownAction } from "@reduxjs/toolkit";
import type { RootState } from "../slices";

/** A store of one state at a time. Dispatched actions are ignored: they already happened. */
export interface ReplayedStore {
  readonly store: Store<RootState, UnknownAction>;
  show(state: RootState): void;
}

export function createReplayedStore(first: RootState): ReplayedStore {
  const listeners = new Set<() => void>();
  let state = first;
  const store = {
    getState: () => state,
    dispatch: <A extends Action>(action: A): A => action,
    subscribe(listener: () => void) {
      const entry = (): void => listener();
      listeners.add(entry);
      return () => listeners.delete(entry);
    },
    replaceReducer: () => undefined,
    [Symbol.observable]() {
      throw new Error("a replayed store is not observed");
    },
  };
  return {
    store: store as unknown as Store<RootState, UnknownAction>,
    show(next) {
      state = next;
      for (const listener of [...listeners]) listener();
    },
  };
}
