import { createContext } from "react";

/** A file that the viewer can read, keep or send. */
export interface SiteFile {
  readonly name: string;
  readonly text: string;
}

/** Putting the site among the apps of the viewer's device. */
export interface InstallPort {
  /** Whether the browser would do it now. */
  installable(): boolean;
  /** Has the browser ask the viewer. */
  install(): void;
  /** Tells when `installable` changes; answers how to stop. */
  subscribe(listener: () => void): () => void;
}

/** What the app offers screens besides the store: the site itself, rather than what it shows. */
export interface SitePort {
  /** Whether a newer build of the site waits for the viewer's word. */
  updateWaiting(): boolean;
  /** Takes the newer build: the page loads itself anew. */
  takeUpdate(): void;
  /** Tells when an update begins to wait; answers how to stop. */
  subscribe(listener: () => void): () => void;
  readonly install: InstallPort;
  /** Opens the dialog that reports a problem. */
  reportProblem(): void;
  /** This page's recorded action log up to now (docs/event-log.md), for a report of a problem. */
  presentLog(): Promise<SiteFile>;
  /** The log of this tab before its last reload: after a crash, the one that tells. */
  earlierLog(): Promise<SiteFile | null>;
  /** The ids of the last requests, newest first: they lead into the worker's traces. */
  requestIds(): string[];
  /** Gives a file to the viewer. */
  download(file: SiteFile): void;
}

/** Where screens find it; the app provides it. */
export const SiteContext = createContext<SitePort | null>(null);
