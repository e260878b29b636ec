import { viewerScoped } from "../../slices";
import { invalidSlices } from "../../slices/stored";
import { type StateDatabase, SupersededError } from "../../storage/stateDatabase";
import type { ViewerState } from "../../tabs/messages";
import { tabSnapshot } from "../log";
import { pick } from "./scopes";
import { OvertakenError, type Snapshot, type SnapshotLocation, snapshotLocation } from "./snapshots";

/** The stored locations of a page's state: the viewer's, which the leader writes, and the page's own. */
export interface SnapshotLocations {
  readonly browser: SnapshotLocation;
  readonly tab: SnapshotLocation;
}

export interface Replaced {
  /** Another page has become the leader. */
  superseded(): void;
  /** A page of a newer build stored it. */
  newerBuild(): void;
}

export function openSnapshotLocations(database: StateDatabase, tab: string, replaced: Replaced): SnapshotLocations {
  const browser = snapshotLocation({ storage: database.fenced("snapshots"), key: "browser" });
  return {
    tab: snapshotLocation({ storage: database.storage("snapshots"), key: tabSnapshot(tab) }),
    browser: {
      read: browser.read,
      async write(snapshot) {
        try {
          await browser.write(snapshot);
        } catch (error) {
          if (error instanceof SupersededError) replaced.superseded();
          if (error instanceof OvertakenError) replaced.newerBuild();
          throw error;
        }
      },
    },
  };
}

/** The stored viewer slices; null if there are none that this build can read. */
export async function readViewerState({ browser }: SnapshotLocations): Promise<ViewerState | null> {
  const snapshot = await browser.read();
  if (snapshot === null || invalidSlices(snapshot.slices).length > 0) return null;
  const { slices, position } = snapshot;
  return { slices: pick(slices, viewerScoped), ...(position.stream ?? { generation: 0, seq: 0 }) };
}

/** The logs that the stored snapshots continue. */
export async function continuedLogs({ browser, tab }: SnapshotLocations): Promise<string[]> {
  const snapshots = await Promise.all([browser.read(), tab.read()]);
  return snapshots.flatMap((snapshot) => snapshot?.position.log ?? []);
}

/** A page continues without unreadable data, and leaves it for the next one. */
export async function readIfPossible(
  location: SnapshotLocation,
  report: (error: unknown) => void,
): Promise<Snapshot | null> {
  try {
    return await location.read();
  } catch (error) {
    report(error);
    return null;
  }
}
