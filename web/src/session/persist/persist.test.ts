import "fake-indexeddb/auto";
import { createSlice } from "@reduxjs/toolkit";
import { combineReducers } from "redux";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Header, Line, State } from "../../eventlog/envelope";
import type { AnyProgram } from "../../eventlog/folding";
import { logText } from "../../eventlog/testing/logText";
import { openDatabase } from "../../storage/database";
import { recover } from "./recovery";
import { type Snapshot, type SnapshotStorage, snapshotLocation } from "./snapshots";
import { createWriter } from "./writer";

let count = 0;
const storage = () => openDatabase(`snapshots-${++count}`, ["snapshots"]).store("snapshots");
/** Values by key, as an object store has them. */
const updating =
  (entries: Map<string, unknown>): SnapshotStorage["update"] =>
  async (keys, change) => {
    for (const [key, value] of change(keys.map((one) => entries.get(one)))) entries.set(key, structuredClone(value));
  };
const position = { log: "l1", seq: 4 };

describe("a snapshot", () => {
  // redux-persist reports a refused write there too.
  beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => undefined));
  afterEach(() => void vi.restoreAllMocks());

  it("is restored as written, with its log line", async () => {
    const store = storage();
    const slices = { cart: { items: [1, 2] }, user: null };
    await snapshotLocation({ storage: store, key: "browser" }).write({ slices, position });
    expect(await snapshotLocation({ storage: store, key: "browser" }).read()).toEqual({ slices, position });
    expect(await snapshotLocation({ storage: store, key: "tab/1" }).read()).toBeNull();
  });

  it("is written in one piece, and removed slices are gone", async () => {
    const store = storage();
    const update = vi.fn(store.update);
    const location = snapshotLocation({ storage: { ...store, update }, key: "browser" });
    await location.write({ slices: { a: 1, b: 1, c: 1 }, position });
    await location.write({ slices: { a: 2, b: 2 }, position: { log: "l1", seq: 5 } });
    expect(update).toHaveBeenCalledTimes(2);
    expect(await location.read()).toEqual({ slices: { a: 2, b: 2 }, position: { log: "l1", seq: 5 } });
  });

  it("that couldn't be written fails, and the next one is complete", async () => {
    const store = storage();
    let isFull = true;
    const full: SnapshotStorage = {
      ...store,
      update: (keys, change) => (isFull ? Promise.reject(new Error("full")) : store.update(keys, change)),
    };
    const location = snapshotLocation({ storage: full, key: "browser" });
    await expect(location.write({ slices: { a: 1, b: 1 }, position })).rejects.toThrow("full");
    isFull = false;
    await location.write({ slices: { a: 1, b: 1 }, position });
    expect(await location.read()).toEqual({ slices: { a: 1, b: 1 }, position });
  });

  it("of an older build is migrated step by step, and one of a newer build is left alone", async () => {
    const store = storage();
    await snapshotLocation({ storage: store, key: "browser", version: 1 }).write({ slices: { a: 1 }, position });
    const migrations = {
      2: (slices: object) => ({ ...slices, b: "second" }),
      3: (slices: object) => ({ ...slices, c: "third" }),
    };
    const newer = snapshotLocation({ storage: store, key: "browser", version: 3, migrations });
    expect(await newer.read()).toEqual({ slices: { a: 1, b: "second", c: "third" }, position });
    await newer.write({ slices: { a: 9 }, position });
    expect(await snapshotLocation({ storage: store, key: "browser", version: 1 }).read()).toBeNull();
  });

  it("of a newer build is overwritten by a page after a rollback, and not by one opened before it", async () => {
    const store = storage();
    const migrations = { 2: (slices: State) => slices };
    const location = (version: number) => snapshotLocation({ storage: store, key: "browser", version, migrations });
    const [older, newer] = [location(1), location(2)];
    await older.read();
    await older.write({ slices: { a: 1 }, position });
    await newer.write({ slices: { a: 2 }, position });
    const late = older.write({ slices: { a: 3 }, position });
    await expect(late).rejects.toThrow("A newer version of this site is open: reload this page.");
    expect(await newer.read()).toEqual({ slices: { a: 2 }, position });
    const back = location(1);
    expect(await back.read()).toBeNull();
    await back.write({ slices: { a: 4 }, position });
    expect(await location(1).read()).toEqual({ slices: { a: 4 }, position });
  });

  it("of a newer build is kept when it arrives while an older page writes", async () => {
    const store = storage();
    const newer = snapshotLocation({ storage: store, key: "browser", version: 2 });
    let isWriting = false;
    const overtake = async () => {
      if (isWriting) await newer.write({ slices: { a: 2 }, position });
    };
    const older = snapshotLocation({
      storage: {
        ...store,
        async getItem<T>(key: string) {
          const found = await store.getItem<T>(key);
          await overtake();
          return found;
        },
        update: (keys, change) => overtake().then(() => store.update(keys, change)),
      },
      key: "browser",
      version: 1,
    });
    await older.write({ slices: { a: 1 }, position });
    isWriting = true;
    await expect(older.write({ slices: { a: 3 }, position })).rejects.toThrow("A newer version of this site is open");
    expect(await newer.read()).toEqual({ slices: { a: 2 }, position });
  });

  it.each([
    ["a text", "torn"],
    ["no position", { a: 1, _persist: { version: 1 } }],
    ["a damaged position", { a: 1, _position: { log: 3 }, _persist: { version: 1 } }],
  ])("that is damaged (%s) counts as none", async (_, value) => {
    const store = storage();
    await store.setItem("persist:browser", value);
    expect(await snapshotLocation({ storage: store, key: "browser" }).read()).toBeNull();
  });
});

describe("a snapshot that the browser fails to read", () => {
  const slices = { purchase: { at: "submitting", key: "k" } };
  const fresh = { slices: { purchase: { at: "preparing" } }, position: { log: "l2", seq: 1 } };
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** A storage whose next `times` reads fail. */
  function failing(entries: Map<string, unknown>, times: number) {
    let remaining = times;
    const storage: SnapshotStorage = {
      async getItem<T>(key: string) {
        if (remaining-- > 0) throw new DOMException("Internal error opening backing store", "UnknownError");
        return structuredClone((entries.get(key) ?? null) as T | null);
      },
      update: updating(entries),
      removeItem: async (key) => void entries.delete(key),
    };
    return snapshotLocation({ storage, key: "browser" });
  }
  /** The snapshot, or the error, after all attempts. */
  async function over<T>(work: Promise<T>): Promise<T | Error> {
    const ended = work.catch((error: Error) => error);
    await vi.runAllTimersAsync();
    return ended;
  }
  async function stored(): Promise<Map<string, unknown>> {
    const entries = new Map<string, unknown>();
    await failing(entries, 0).write({ slices, position });
    return entries;
  }

  it("is read a moment later, and overwritten as any other", async () => {
    const entries = await stored();
    const location = failing(entries, 3);
    expect(await over(location.read())).toEqual({ slices, position });
    expect(await over(location.write(fresh))).toBeUndefined();
    expect(await failing(entries, 0).read()).toEqual(fresh);
  });

  it("repeatedly isn't treated as missing: it stays for a page that can read it", async () => {
    const entries = await stored();
    const location = failing(entries, 8);
    expect(await over(location.read())).toMatchObject({ name: "UnknownError" });
    // While nothing can be read, and afterwards: this page didn't continue from it.
    expect(await over(location.write(fresh))).toMatchObject({ name: "UnknownError" });
    expect(await over(location.write(fresh))).toMatchObject({
      message: "the snapshot browser was not read, and is left as it is",
    });
    expect(await over(location.read())).toEqual({ slices, position });
    expect(await over(location.write(fresh))).toMatchObject({
      message: "the snapshot browser was not read, and is left as it is",
    });
    expect(await failing(entries, 0).read()).toEqual({ slices, position });
  });

  it.each([
    ["there is none", undefined],
    ["the stored one is damaged", "torn"],
  ])("is written once the browser says that %s", async (_, value) => {
    const entries = new Map<string, unknown>(value === undefined ? [] : [["persist:browser", value]]);
    const location = failing(entries, 4);
    expect(await over(location.read())).toMatchObject({ name: "UnknownError" });
    for (const _round of [1, 2]) expect(await over(location.write(fresh))).toBeUndefined();
    expect(await failing(entries, 0).read()).toEqual(fresh);
  });

  it("later on doesn't block a page that had read it at its start", async () => {
    const entries = await stored();
    let isBroken = false;
    const storage: SnapshotStorage = {
      getItem: async <T>(key: string) => (isBroken ? Promise.reject(new Error("broken")) : (entries.get(key) as T)),
      update: async (keys, change) =>
        isBroken && keys.length > 0 ? Promise.reject(new Error("broken")) : updating(entries)(keys, change),
      removeItem: async (key) => void entries.delete(key),
    };
    const location = snapshotLocation({ storage, key: "browser" });
    expect(await over(location.read())).toEqual({ slices, position });
    isBroken = true;
    expect(await over(location.read())).toMatchObject({ message: "broken" });
    expect(await over(location.write(fresh))).toBeUndefined();
  });
});

const counter = createSlice({ name: "made", initialState: 0, reducers: { added: (n) => n + 1 } });
const page = createSlice({ name: "page", initialState: 0, reducers: { turned: (n) => n + 1 } });
const program: AnyProgram = {
  reducer: combineReducers({ made: counter.reducer, page: page.reducer }) as AnyProgram["reducer"],
  rootSaga: function* () {},
  methods: {},
};
const header: Header = {
  format: "touchline-log",
  v: 2,
  build: "b",
  channel: "c",
  locale: "en",
  started_at: 1,
  snapshot: null,
};
const action = (seq: number, type: string): Line => ({
  seq,
  at: 1,
  mono: 1,
  kind: "action",
  origin: "ui",
  type,
  type_version: 1,
  payload: null,
});
const text = (...lines: Line[]): string => logText(header, lines);
const scopes = { browser: ["made"], tab: ["page"] };

describe("a page's state", () => {
  const start = (
    logs: { [log: string]: string },
    snapshots: { browser?: Snapshot; tab?: Snapshot },
    errors: unknown[] = [],
  ) =>
    recover({
      program,
      scopes,
      browser: snapshots.browser ?? null,
      tab: snapshots.tab ?? null,
      readLog: async (log) => logs[log],
      unsound: (slices) => Object.keys(slices).filter((name) => typeof slices[name] !== "number"),
      report: (error) => errors.push(error),
    });

  it("is the snapshot with the lines recorded after it, of the viewer and of the page each from its own log", async () => {
    const logs = {
      holder: text(...[1, 2, 3, 4].map((seq) => action(seq, "made/added"))),
      own: text(action(1, "page/turned"), action(2, "made/added"), action(3, "page/turned")),
    };
    const recovered = await start(logs, {
      browser: { slices: { made: 2, page: 77 }, position: { log: "holder", seq: 2 } },
      tab: { slices: { made: 77, page: 1 }, position: { log: "own", seq: 1 } },
    });
    expect(recovered).toEqual({ state: { made: 4, page: 2 }, position: { log: "holder", seq: 4 } });
  });

  it("is the snapshot alone if its log is gone, or can't be read", async () => {
    const browser = { slices: { made: 2 }, position: { log: "holder", seq: 2 } };
    expect(await start({}, { browser })).toEqual({ state: { made: 2, page: 0 }, position: { log: "holder", seq: 2 } });
    const errors: unknown[] = [];
    expect((await start({ holder: "torn" }, { browser }, errors))?.state).toEqual({ made: 2, page: 0 });
    expect(errors).toHaveLength(1);
  });

  it("is none if a slice is damaged: the viewer starts afresh, with everything intact", async () => {
    const errors: unknown[] = [];
    const tab = { slices: { page: 1 }, position: { log: "own", seq: 1 } };
    const browser = { slices: { made: { torn: true } }, position: { log: "holder", seq: 2 } };
    const recovered = await start({ holder: text(action(1, "made/added")) }, { tab, browser }, errors);
    expect(recovered).toEqual({ state: { made: 0, page: 1 }, position: null });
    expect(errors).toMatchObject([{ message: "the stored state was rejected because of its made" }]);
    expect(await start({}, { browser })).toBeUndefined();
  });

  it("is none if nothing was stored", async () => {
    expect(await start({}, {})).toBeUndefined();
  });
});

describe("the writer", () => {
  function bench(leads: boolean, failing: () => Error | null = () => null) {
    const written: string[] = [];
    const reported: unknown[] = [];
    let state = { made: 1, page: 1 };
    let run: (() => void) | null = null;
    const location = (name: string) => ({
      read: async () => null,
      write: async ({ slices }: Snapshot) => {
        const error = failing();
        if (error) throw error;
        written.push(`${name} ${JSON.stringify(slices)}`);
      },
    });
    const writer = createWriter({
      scopes,
      browser: location("browser"),
      tab: location("tab"),
      now: () => ({ state, position }),
      flushLog: async () => void written.push("log"),
      leads: () => leads,
      after: (_, due) => {
        run = due;
      },
      report: (error) => reported.push(error),
    });
    const set = (next: typeof state): void => {
      state = next;
    };
    return { writer, written, reported, set, pass: () => run?.() };
  }

  it("stores the log first: a snapshot must never be ahead of it", async () => {
    const { writer, written } = bench(true);
    await writer.write();
    expect(written).toEqual(["log", 'tab {"page":1}', 'browser {"made":1}']);
  });

  it("leaves the viewer's slices to the leader", async () => {
    const { writer, written } = bench(false);
    await writer.write();
    expect(written).toEqual(["log", 'tab {"page":1}']);
  });

  it("reports once what prevents it from writing", async () => {
    let why = "full";
    const { writer, reported, pass } = bench(true, () => new Error(why));
    for (const next of ["full", "full", "overtaken", "overtaken"]) {
      why = next;
      writer.changed();
      pass();
      await writer.write().catch(() => undefined);
    }
    expect(reported).toMatchObject([{ message: "full" }, { message: "overtaken" }]);
  });

  it("debounces changes, and writes the latest state", async () => {
    const { writer, written, set, pass } = bench(false);
    writer.changed();
    writer.changed();
    set({ made: 5, page: 5 });
    expect(written).toEqual([]);
    pass();
    await writer.write();
    expect(written.filter((line) => line.startsWith("tab"))).toEqual(['tab {"page":5}']);
  });

  it("writes only the changes since its last write", async () => {
    const { writer, written, set } = bench(true);
    await writer.write();
    set({ made: 1, page: 2 });
    await writer.write();
    await writer.write();
    expect(written.filter((line) => line !== "log")).toEqual([
      'tab {"page":1}',
      'browser {"made":1}',
      'tab {"page":2}',
    ]);
  });
});
