import { createContext } from "react";

/** Playback in the browser's tabs: one with sound at a time. */
export interface OtherTabsPort {
  /** This tab plays with sound. */
  playing(): void;
  /** Calls `listener` when another tab plays with sound; returns an unsubscribe function. */
  onPlaying(listener: () => void): () => void;
}

/** Provided by the app. null: the page is alone. */
export const OtherTabsContext = createContext<OtherTabsPort | null>(null);
