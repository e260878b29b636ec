import { createMigrate, createPersistoid, getStoredState, KEY_PREFIX } from "redux-persist";
import { pause } from "../../api";
import type { State } from "../../eventlog/envelope";
import type { StreamPosition } from "../../slices/tabs";
import { type Migration, migrations, SNAPSHOT_VERSION } from "./migrations";

/** Which line of which log a snapshot was taken at. */
export interface Position {
  readonly log: string;
  readonly seq: number;
  /** Which message of which leader the viewer's slices are the fold of. */
  readonly stream?: StreamPosition;
}

/** Slices as they stood at a line of a log. */
export interface Snapshot {
  readonly slices: State;
  readonly position: Position;
}

/** A page of a newer build wrote what is stored, while this one was open. */
export class OvertakenError extends Error {
  override readonly name = "OvertakenError";
}

/** One place that snapshots are written to and read from. */
export interface SnapshotPlace {
  /**
   * The snapshot, brought to this build's shape; null when there is none, or none that this build can use. Rejects when
   * the browser keeps failing to say which.
   */
  read(): Promise<Snapshot | null>;
  /**
   * Settles once the snapshot is stored, whole. Rejects when it could not be, and where nobody may write over what is
   * there: the first read failed, so that this page did not go on from it, or a newer build has written it since
   * (`OvertakenError`).
   */
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

/** A browser that fails to read is asked again after these, milliseconds. */
const READ_PAUSES_MS = [50, 200, 750] as const;

/** The same storage, with reads that are tried again. */
const patient = (storage: SnapshotStorage): SnapshotStorage => ({
  async getItem(key) {
    for (const ms of READ_PAUSES_MS) {
      try {
        return await storage.getItem(key);
      } catch {
        await pause(ms);
      }
    }
    return storage.getItem(key);
  },
  setItem: (key, value) => storage.setItem(key, value),
  removeItem: (key) => storage.removeItem(key),
});

/** The version of the build that wrote what is stored; 0 where nobody did. */
const versionOf = (stored: unknown): number =>
  (stored as { readonly [VERSION]?: { readonly version?: number } } | null | undefined)?.[VERSION]?.version ?? 0;

/** A place of snapshots, kept by redux-persist: objects as they are, in one write. */
export function snapshotPlace(parts: PlaceParts): SnapshotPlace {
  const { key, version = SNAPSHOT_VERSION } = parts;
  const migrate = createMigrate(manifest(parts.migrations ?? migrations));
  let failure: Error | null = null;
  /** Whether what is stored was known as this page began, or is this page's own. Null: nobody has asked. */
  let isKnown: boolean | null = null;
  /** A release was taken back before this page began: it goes on in the older shape. */
  let isTakenBack = false;
  // `deserialize` is missing from the library's types; without it the stored objects would be parsed as texts.
  const config = {
    key,
    version,
    storage: patient(parts.storage),
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
      // A viewer who went back to an older build starts afresh: guessing at a newer shape would break later.
      if (versionOf(stored) <= version) return snapshotOf(await migrate(stored as never, version));
      isTakenBack ||= isKnown === null;
      return null;
    } catch {
      return null;
    }
  }

  /** Whether a page of a newer build wrote what is stored, while this one was open. */
  async function isOvertaken(): Promise<boolean> {
    if (isTakenBack) return false;
    const stored = await parts.storage.getItem(`${KEY_PREFIX}${key}`).catch(() => null);
    return versionOf(stored) > version;
  }

  return {
    async read() {
      try {
        const snapshot = await read();
        isKnown ??= true;
        return snapshot;
      } catch (error) {
        isKnown ??= false;
        throw error;
      }
    },
    async write({ slices, position }) {
      if (isKnown === false && (await read()) !== null)
        throw new Error(`the snapshot ${key} was not read, and is kept`);
      if (await isOvertaken()) throw new OvertakenError("A newer version of this site is open: reload this page.");
      failure = null;
      persistoid.update({ ...slices, [POSITION]: position, [VERSION]: { version, rehydrated: true } });
      // Everything that changed goes out in one write: a snapshot whose slices are of different lines is worthless.
      await persistoid.flush();
      if (failure) throw failure;
      isKnown = true;
    },
  };
}
