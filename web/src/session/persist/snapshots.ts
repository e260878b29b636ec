import { createMigrate, createPersistoid, getStoredState } from "redux-persist";
import { pause } from "../../api";
import type { State } from "../../eventlog/envelope";
import type { StreamPosition } from "../../slices/tabs";
import type { ObjectStore } from "../../storage/database";
import { SupersededError } from "../../storage/stateDatabase";
import { type Migration, migrations, SNAPSHOT_VERSION } from "./migrations";

/** The log line at which a snapshot was taken. */
export interface Position {
  readonly log: string;
  readonly seq: number;
  /** The message of the leader's stream up to which the viewer's slices are folded. */
  readonly stream?: StreamPosition;
}

/** Slices as of a line of a log. */
export interface Snapshot {
  readonly slices: State;
  readonly position: Position;
}

/** A page of a newer build wrote the stored snapshot while this one was open. */
export class OvertakenError extends Error {
  override readonly name = "OvertakenError";
}

/** One location of snapshots. */
export interface SnapshotLocation {
  /**
   * The snapshot, migrated to this build's shape; null if there is none that this build can use. Rejects if the browser
   * keeps failing to read.
   */
  read(): Promise<Snapshot | null>;
  /**
   * Settles once the snapshot is completely stored. Rejects if it couldn't be, and if this page must not overwrite: its
   * first read failed, so it didn't continue from the stored state, or a newer build has written since
   * (`OvertakenError`).
   */
  write(snapshot: Snapshot): Promise<void>;
}

/** The part of an object store that snapshots use. */
export type SnapshotStorage = Pick<ObjectStore, "getItem" | "removeItem" | "update">;

/** Stored beside the slices: no slice may have one of these names. */
const POSITION = "_position";
const VERSION = "_persist";

const isFields = (value: unknown): value is State =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isStream = (value: unknown): value is StreamPosition =>
  isFields(value) && Number.isSafeInteger(value.generation) && Number.isSafeInteger(value.seq);

function positionOf(value: unknown): Position | null {
  if (!isFields(value)) return null;
  const { log, seq, stream } = value;
  if (typeof log !== "string" || !Number.isSafeInteger(seq)) return null;
  return { log, seq: seq as number, ...(isStream(stream) ? { stream } : {}) };
}

function snapshotOf(stored: unknown): Snapshot | null {
  if (!isFields(stored)) return null;
  const { [POSITION]: at, [VERSION]: _, ...slices } = stored;
  const position = positionOf(at);
  return position && Object.values(slices).every((slice) => slice !== undefined) ? { slices, position } : null;
}

/** Redux-persist migrates the slices alone; the fields beside them stay as they are. */
const manifest = (steps: { readonly [version: number]: Migration }) =>
  Object.fromEntries(
    Object.entries(steps).map(([version, step]) => [
      version,
      (stored: unknown) => {
        const { [POSITION]: position, [VERSION]: persist, ...slices } = stored as State;
        return { ...step(slices), [POSITION]: position, [VERSION]: persist } as never;
      },
    ]),
  );

export interface SnapshotLocationConfig {
  storage: SnapshotStorage;
  key: string;
  version?: number;
  migrations?: { readonly [version: number]: Migration };
}

/** Pauses before a failed read is retried, in milliseconds. */
const READ_PAUSES_MS = [50, 200, 750] as const;

/** The storage as redux-persist uses it, with retried reads. `check` refuses a write inside its own transaction. */
const checked = (storage: SnapshotStorage, check: (stored: unknown) => void) => ({
  async getItem(key: string): Promise<unknown> {
    for (const ms of READ_PAUSES_MS) {
      try {
        return await storage.getItem(key);
      } catch {
        await pause(ms);
      }
    }
    return storage.getItem(key);
  },
  async setItem(key: string, value: unknown): Promise<void> {
    const entries = new Map([[key, value]]);
    try {
      await storage.update([key], ([stored]) => {
        check(stored);
        return entries;
      });
    } catch (error) {
      if (error instanceof OvertakenError || error instanceof SupersededError) throw error;
      // A value that can't be read is replaced.
      await storage.update([], () => entries);
    }
  },
  removeItem: (key: string) => storage.removeItem(key),
});

/** The version of the build that wrote the stored snapshot; 0 without one. */
const versionOf = (stored: unknown): number =>
  (stored as { readonly [VERSION]?: { readonly version?: number } } | null | undefined)?.[VERSION]?.version ?? 0;

/** A snapshot location managed by redux-persist: objects as they are, in one write. */
export function snapshotLocation(options: SnapshotLocationConfig): SnapshotLocation {
  const { key, version = SNAPSHOT_VERSION } = options;
  const migrate = createMigrate(manifest(options.migrations ?? migrations));
  let failure: Error | null = null;
  /** Whether the stored snapshot was read at this page's start, or written by this page. null: not read yet. */
  let wasRead: boolean | null = null;
  /** A release was rolled back before this page started: it continues with the older shape. */
  let isRolledBack = false;
  // `deserialize` is missing from the library's types; without it the stored objects would be parsed as text.
  const config = {
    key,
    version,
    storage: checked(options.storage, (stored) => {
      if (!isRolledBack && versionOf(stored) > version)
        throw new OvertakenError("A newer version of this site is open: reload this page.");
    }),
    serialize: false,
    deserialize: false,
    writeFailHandler: (error: Error) => {
      failure = error;
    },
  };
  const persistoid = createPersistoid(config);

  async function read(): Promise<Snapshot | null> {
    const stored = await getStoredState(config);
    try {
      // After a rollback the older build starts afresh: guessing at a newer shape would break later.
      if (versionOf(stored) <= version) return snapshotOf(await migrate(stored as never, version));
      isRolledBack ||= wasRead === null;
      return null;
    } catch {
      return null;
    }
  }

  return {
    async read() {
      try {
        const snapshot = await read();
        wasRead ??= true;
        return snapshot;
      } catch (error) {
        wasRead ??= false;
        throw error;
      }
    },
    async write({ slices, position }) {
      if (wasRead === false && (await read()) !== null)
        throw new Error(`the snapshot ${key} was not read, and is left as it is`);
      failure = null;
      persistoid.update({ ...slices, [POSITION]: position, [VERSION]: { version, rehydrated: true } });
      // All changes go out in one write: a snapshot with slices of different lines is worthless.
      await persistoid.flush();
      if (failure) throw failure;
      wasRead = true;
    },
  };
}
