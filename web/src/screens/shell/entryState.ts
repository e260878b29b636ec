import { useState } from "react";
import { useLocation } from "react-router";

/** A link on the page, by its address and its number among links of the same address. */
export interface Anchor {
  readonly href: string;
  readonly nth: number;
  /** Its distance from the window's upper edge, in pixels. */
  readonly offset: number;
}

/** The part of a page that the viewer saw. */
export interface Position {
  readonly top: number;
  /** Absent on a page without a link in view. */
  readonly anchor?: Anchor;
}

type Value = string | number | null;

/** The state of a page in its history entry, which a return and a reload find again (LIST-7). */
interface EntryState {
  readonly position?: Position;
  readonly values?: { readonly [name: string]: Value };
}

interface HistoryState {
  /** The router's name of the entry; the first entry of a tab has none. */
  readonly key?: string;
  readonly page?: EntryState;
}

const current = (): HistoryState => (window.history.state as HistoryState | null) ?? {};

/** Whether the browser's entry is the router's: the router may still display the previous page. */
const isCurrent = (key: string): boolean => (current().key ?? "default") === key;

function write(key: string, change: EntryState): void {
  if (!isCurrent(key)) return;
  const state = current();
  try {
    window.history.replaceState({ ...state, page: { ...state.page, ...change } }, "");
  } catch {
    // Browsers limit the number of changes per time.
  }
}

export const positionOf = (key: string): Position | null =>
  isCurrent(key) ? (current().page?.position ?? null) : null;

export const storePosition = (key: string, position: Position): void => write(key, { position });

const valueOf = <T extends Value>(key: string, name: string, initial: T): T =>
  isCurrent(key) ? ((current().page?.values?.[name] as T | undefined) ?? initial) : initial;

/** Whether the viewer returns to the page, instead of opening it. */
export const useIsReturn = (): boolean => {
  const { key } = useLocation();
  const [isReturn] = useState(() => positionOf(key) !== null);
  return isReturn;
};

/** State of a list that belongs to its history entry: the number of pages, a filter (LIST-7). */
export function useEntryState<T extends Value>(name: string, initial: T): readonly [T, (value: T) => void] {
  const { key } = useLocation();
  const [state, setState] = useState(() => ({ key, value: valueOf(key, name, initial) }));
  // Another entry of the same page.
  if (state.key !== key) setState({ key, value: valueOf(key, name, initial) });
  const set = (value: T): void => {
    write(key, { values: { ...current().page?.values, [name]: value } });
    setState({ key, value });
  };
  return [state.value, set];
}
