import { createMigrate, createPersistoid, getStoredState } from "redux-persist";
import type { State } from "../../eventlog/envelope";
import { type Migration, migrations, SNAPSHOT_VERSION } from "./migrations";

/** Which line of which log a snapshot was taken at. */
export interface Position {
  readonly log: string;
  readonly seq: number;
}

/** Slices as they stood at a line of a log. */
export interface Snapshot {
  readonly slices: State;
  readonly position: Position;
}

/** One place that snapshots are written to and read from. */
export interface SnapshotPlace {
  /** The snapshot, brought to this build's shape; null when there is none, or none that can be read. */
  read(): Promise<Snapshot | null>;
  /** Settles once the snapshot is stored, whole. Rejects when it could not be. */
  write(snapshot: Snapshot): Promise<void>;
}

/** The part of localforage that snapshots are kept in. */
export interface SnapshotStorage {
  getItem(key: string): Promise<unknown>;
  setItem(key: string, value: unknown): Promise<unknown>;
  removeItem(key: string): Promise<void>;
}

/** Beside the slices: no slice may have one of these names. */
const POSITION = "_position";
const VERSION = "_persist";

const isFields = (value: unknown): value is State =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function positionOf(value: unknown): Position | null {
  if (!isFields(value)) return null;
  const { log, seq } = value;
  return typeof log === "string" && Number.isSafeInteger(seq) ? { log, seq: seq as number } : null;
}

function snapshotOf(stored: unknown): Snapshot | null {
  if (!isFields(stored)) return null;
  const { [POSITION]: at, [VERSION]: _, ...slices } = stored;
  const position = positionOf(at);
  return position && Object.values(slices).every((slice) => slice !== undefined) ? { slices, position } : null;
}

/** What redux-persist is to migrate: the slices alone, with what stands beside them left as it is. */
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

export interface PlaceParts {
  storage: SnapshotStorage;
  key: string;
  version?: number;
  migrations?: { readonly [version: number]: Migration };
}

/** A place of snapshots, kept by redux-persist: objects as they are, in one write. */
export function snapshotPlace(parts: PlaceParts): SnapshotPlace {
  const { storage, key, version = SNAPSHOT_VERSION } = parts;
  const migrate = createMigrate(manifest(parts.migrations ?? migrations));
  let failure: Error | null = null;
  // `deserialize` is missing from the library's types; without it the stored objects would be parsed as texts.
  const config = {
    key,
    version,
    storage,
    serialize: false,
    deserialize: false,
    writeFailHandler: (error: Error) => {
      failure = error;
    },
  };
  const persistoid = createPersistoid(config);

  return {
    async read() {
      try {
        const stored = await getStoredState(config);
        const isNewer =
          ((stored as { [VERSION]?: { version?: number } } | undefined)?.[VERSION]?.version ?? 0) > version;
        // A viewer who went back to an older build starts afresh: guessing at a newer shape would break later.
        return isNewer ? null : snapshotOf(await migrate(stored as never, version));
      } catch {
        return null;
      }
    },
    async write({ slices, position }) {
      failure = null;
      persistoid.update({ ...slices, [POSITION]: position, [VERSION]: { version, rehydrated: true } });
      // Everything that changed goes out in one write: a snapshot whose slices are of different lines is worthless.
      await persistoid.flush();
      if (failure) throw failure;
    },
  };
}
