import localforage from "localforage";
import driver, { type DriverOptions } from "./driver";
import { SuspendedError, type Suspension, watchSuspension } from "./suspension";

/** A write's values by key; undefined removes. */
export type Entries = ReadonlyMap<string, unknown>;

/** Decides, inside a write's own transaction, whether the write may happen. */
export interface Fence {
  /** The object store and key of the deciding value. */
  readonly storeName: string;
  readonly key: string;
  /** Throws to refuse the write. */
  check(stored: unknown): void;
}

/** An object store: a localforage instance with operations on several keys in one transaction. */
export interface ObjectStore
  extends Pick<LocalForage, "getItem" | "setItem" | "removeItem" | "clear" | "keys" | "length"> {
  /** Reads `keys` and stores the values that `change` returns. Without keys it starts and commits at once. */
  update(keys: readonly string[], change: (values: readonly unknown[]) => Entries): Promise<void>;
  /** The entries whose keys start with `prefix`, in key order. */
  entries<T>(prefix: string): Promise<[string, T][]>;
  /** Removes the first entries with `prefix`, down to the last `most`. Returns the number left. */
  trim(prefix: string, max: number): Promise<number>;
}

/** The part of IndexedDB that a database in memory replaces. */
type Memory = Pick<typeof import("./memory"), "IDBFactory" | "IDBKeyRange">;

/** A page without a database continues in memory until the database opens. */
export interface MemoryFallback {
  load(): Promise<Memory>;
  /** The database opened late, and has the entries of the memory that it lacked: a page that loads again uses it. */
  opened?(): void;
}

export const loadMemory = (): Promise<Memory> => import("./memory");

/** A running transaction. */
interface Run<T> {
  /** The keys from `lower` to `upper`. */
  range(lower: IDBValidKey, upper: IDBValidKey): IDBKeyRange;
  objects(name: string): IDBObjectStore;
  /** Continues with a request's result. An error in `next` rolls the transaction back. */
  on<V>(request: IDBRequest<V>, next: (value: V) => void): void;
  /** Sets the transaction's result, returned once it is committed. */
  answer(value: T): void;
  /** Commits early, so that a closing page leaves the write complete. */
  commit(): void;
}

/** A database with a fixed set of object stores: its version never changes. */
export interface Database {
  /** Runs at once if the database is open; otherwise opens it, also after the browser closed it. */
  run<T>(storeNames: readonly string[], mode: "readonly" | "readwrite", use: (run: Run<T>) => void): Promise<T>;
  store(storeName: string, fence?: Fence): ObjectStore;
}

/** Attempts to open a database. */
const MAX_ATTEMPTS = 3;
/** Some browsers never open a database: after this time, in milliseconds, the page continues in memory. */
const OPEN_TIMEOUT_MS = 2_000;

function opened(factory: IDBFactory, name: string, storeNames: readonly string[]): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = factory.open(name, 1);
    opening.onupgradeneeded = () => {
      for (const storeName of storeNames) opening.result.createObjectStore(storeName);
    };
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
}

function begin<T>(
  database: IDBDatabase,
  ranges: typeof IDBKeyRange,
  storeNames: readonly string[],
  mode: IDBTransactionMode,
  use: (run: Run<T>) => void,
  suspension: Suspension,
): Promise<T> {
  const transaction = database.transaction(storeNames, mode);
  suspension.add(transaction);
  return new Promise((resolve, reject) => {
    let answer: T;
    let failure: unknown;
    transaction.oncomplete = () => {
      suspension.delete(transaction);
      resolve(answer);
    };
    transaction.onabort = () => {
      suspension.delete(transaction);
      const error = failure ?? transaction.error ?? suspension.errorOf(transaction);
      reject(error ?? new Error("the transaction was aborted"));
    };
    function guarded(work: () => void): void {
      try {
        work();
      } catch (error) {
        failure = error;
        transaction.abort();
      }
    }
    guarded(() =>
      use({
        range: (lower, upper) => ranges.bound(lower, upper),
        objects: (name) => transaction.objectStore(name),
        on(request, next) {
          request.onsuccess = () => guarded(() => next(request.result));
        },
        answer(value) {
          answer = value;
        },
        commit() {
          transaction.commit();
          suspension.delete(transaction);
        },
      }),
    );
  });
}

const startingWith = (run: Pick<Run<unknown>, "range">, prefix: string): IDBKeyRange =>
  run.range(prefix, `${prefix}\uffff`);

/** Copies the entries whose keys `to` lacks. */
async function addMissing(
  from: IDBDatabase,
  ranges: typeof IDBKeyRange,
  to: IDBDatabase,
  storeNames: readonly string[],
  suspension: Suspension,
): Promise<void> {
  for (const storeName of storeNames) {
    const entries = await begin<[IDBValidKey, unknown][]>(
      from,
      ranges,
      [storeName],
      "readonly",
      ({ objects, on, answer }) =>
        on(objects(storeName).getAllKeys(), (keys) =>
          on(objects(storeName).getAll(), (values) => answer(keys.map((key, index) => [key, values[index]]))),
        ),
      suspension,
    );
    await begin<void>(
      to,
      IDBKeyRange,
      [storeName],
      "readwrite",
      ({ objects, on }) => {
        for (const [key, value] of entries)
          on(objects(storeName).getKey(key), (found) => {
            if (found === undefined) objects(storeName).put(value, key);
          });
      },
      suspension,
    );
  }
}

/** The operations behind localforage's driver and the rest of an object store. */
function objectsOf(database: Database, storeName: string, fence: Fence | undefined) {
  const read = <T>(sendRequest: (objects: IDBObjectStore) => IDBRequest<T>): Promise<T> =>
    database.run<T>([storeName], "readonly", ({ objects, on, answer }) => on(sendRequest(objects(storeName)), answer));

  /** Changes the store if the fence allows it. */
  function write<T = void>(change: (objects: IDBObjectStore, run: Run<T>) => void): Promise<T> {
    const names = fence ? [storeName, fence.storeName] : [storeName];
    return database.run<T>(names, "readwrite", (run) => {
      const proceed = (): void => change(run.objects(storeName), run);
      if (!fence) return proceed();
      run.on(run.objects(fence.storeName).get(fence.key), (stored) => {
        fence.check(stored);
        proceed();
      });
    });
  }

  const update: ObjectStore["update"] = (keys, change) =>
    write((objects, run) => {
      const values: unknown[] = [];
      function next(): void {
        const key = keys[values.length];
        if (key !== undefined)
          return run.on(objects.get(key), (value) => {
            values.push(value);
            next();
          });
        for (const [changed, value] of change(values)) {
          if (value === undefined) objects.delete(changed);
          else objects.put(value, changed);
        }
        run.commit();
      }
      next();
    });

  const entries: ObjectStore["entries"] = <T>(prefix: string) =>
    database.run<[string, T][]>([storeName], "readonly", (run) => {
      const { objects, on, answer } = run;
      const range = startingWith(run, prefix);
      on(objects(storeName).getAllKeys(range), (keys) =>
        on(objects(storeName).getAll(range), (values) =>
          answer(keys.map((key, index) => [String(key), values[index] as T])),
        ),
      );
    });

  const trim: ObjectStore["trim"] = (prefix, max) =>
    write<number>((objects, run) => {
      const range = startingWith(run, prefix);
      run.on(objects.count(range), (count) => {
        run.answer(Math.min(count, max));
        if (count <= max) return;
        run.on(objects.getAllKeys(range, count - max), (keys) => {
          objects.delete(run.range(keys[0] ?? prefix, keys.at(-1) ?? prefix));
          run.commit();
        });
      });
    });

  return { read, write, update, entries, trim };
}

export type Objects = ReturnType<typeof objectsOf>;

localforage.defineDriver(driver).catch(() => undefined);

/** This browser's database of that name, opened on first use. */
export function openDatabase(name: string, storeNames: readonly string[], fallback?: MemoryFallback): Database {
  let current: IDBDatabase | null = null;
  let opening: Promise<IDBDatabase> | null = null;
  let memory: Memory | null = null;
  const suspension = watchSuspension();

  async function openStored(): Promise<IDBDatabase> {
    for (let attempts = MAX_ATTEMPTS - 1; ; attempts -= 1) {
      try {
        const database = await opened(indexedDB, name, storeNames);
        database.onclose = () => {
          if (current === database) current = null;
        };
        database.onversionchange = () => {
          database.close();
          if (current === database) current = null;
        };
        return database;
      } catch (error) {
        if (attempts === 0) throw error;
      }
    }
  }

  async function open(): Promise<IDBDatabase> {
    const stored = openStored();
    if (!fallback) return stored;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), OPEN_TIMEOUT_MS);
    });
    const database = await Promise.race([stored.catch(() => null), late]);
    clearTimeout(timer);
    if (database) return database;
    memory = await fallback.load();
    const inMemory = await opened(new memory.IDBFactory(), name, storeNames);
    const copied = stored.then(async (late) => {
      await addMissing(inMemory, memory?.IDBKeyRange ?? IDBKeyRange, late, storeNames, suspension);
      late.close();
      fallback.opened?.();
    });
    // Refused permanently: this page stores its data in memory.
    copied.catch(() => undefined);
    return inMemory;
  }

  const isClosed = (error: unknown): boolean => error instanceof DOMException && error.name === "InvalidStateError";

  const runNow: Database["run"] = async (names, mode, use) => {
    const beginIn = (open: IDBDatabase) =>
      begin(open, memory?.IDBKeyRange ?? IDBKeyRange, names, mode, use, suspension);
    if (current) {
      try {
        return await beginIn(current);
      } catch (error) {
        // The browser is closing it, without an event yet.
        if (!isClosed(error)) throw error;
        current = null;
      }
    }
    opening ??= open().finally(() => {
      opening = null;
    });
    current = await opening;
    return beginIn(current);
  };

  const database: Database = {
    async run(names, mode, use) {
      try {
        return await runNow(names, mode, use);
      } catch (error) {
        if (!(error instanceof SuspendedError)) throw error;
        await error.returned;
        return database.run(names, mode, use);
      }
    },
    store(storeName, fence) {
      const objects = objectsOf(database, storeName, fence);
      const options: DriverOptions = { name, storeName, driver: driver._driver, objects };
      const forage = localforage.createInstance(options);
      const { update, entries, trim } = objects;
      return Object.assign(forage, { update, entries, trim });
    },
  };
  return database;
}
