import { useSyncExternalStore } from "react";

/** Something that was just taken away, and can be had back for a moment (FAV-3). */
export interface UndoOffer {
  /** What was done, in words. */
  readonly text: string;
  readonly undo: () => void;
}

let offered: UndoOffer | null = null;
const listeners = new Set<() => void>();

/** Offers the last thing that was taken away; null when the moment is over. */
export function offerUndo(next: UndoOffer | null): void {
  offered = next;
  for (const listener of [...listeners]) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** What can be had back now. */
export const useUndoOffer = (): UndoOffer | null => useSyncExternalStore(subscribe, () => offered);
