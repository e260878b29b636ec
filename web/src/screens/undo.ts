import { useSyncExternalStore } from "react";

/** A removal that can be undone for a moment (FAV-3). */
export interface UndoOffer {
  /** A description of the action. */
  readonly text: string;
  readonly undo: () => void;
}

let offered: UndoOffer | null = null;
const listeners = new Set<() => void>();

/** Sets the current undo offer; null ends it. */
export function offerUndo(next: UndoOffer | null): void {
  offered = next;
  for (const listener of [...listeners]) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useUndoOffer = (): UndoOffer | null => useSyncExternalStore(subscribe, () => offered);
