import { createContext } from "react";

/** A file to view, save or send. */
export interface SiteFile {
  readonly name: string;
  readonly text: string;
}

/** Installation of the site as an app on the viewer's device. */
export interface InstallPort {
  /** Whether the browser would offer installation now. */
  installable(): boolean;
  /** Opens the browser's installation prompt. */
  install(): void;
  /** Reports changes of `installable`; returns an unsubscribe function. */
  subscribe(listener: () => void): () => void;
}

/** The app's functions for screens besides the store. */
export interface SitePort {
  /** Whether a newer build waits for the viewer's consent. */
  updateWaiting(): boolean;
  /** Activates the newer build and reloads the page. */
  activateUpdate(): void;
  /**
   * A file of this page's build did not arrive: takes the newer build if there is one and no tab would lose anything,
   * at most once an hour.
   */
  replaceBuild(): Promise<void>;
  /** Reports a waiting update; returns an unsubscribe function. */
  subscribe(listener: () => void): () => void;
  readonly install: InstallPort;
  /** Opens the problem report dialog. */
  reportProblem(): void;
  /** This page's action log so far (docs/event-log.md), for a problem report. */
  currentLog(): Promise<SiteFile>;
  /** This tab's log before its last reload, which explains a crash. */
  earlierLog(): Promise<SiteFile | null>;
  /** The ids of the last requests, newest first; they identify the worker's traces. */
  requestIds(): string[];
  /** Saves a file to the viewer's device. */
  download(file: SiteFile): void;
}

/** Provided by the app. */
export const SiteContext = createContext<SitePort | null>(null);
