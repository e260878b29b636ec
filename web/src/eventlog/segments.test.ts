import { describe, expect, it } from "vitest";
import { listLogs, pruneLogs, removeLog } from "./archive";
import type { CheckpointLine, Line } from "./envelope";
import { stateHash } from "./hash";
import { createRecordedStore } from "./live";
import { parseLog } from "./parse";
import { recoverState } from "./recovery";
import { replayText } from "./replay";
import { createSegmentedSink, type SegmentLimits } from "./segments";
import { exportLog } from "./stored-text";
import { createMemoryStorage, type MemoryStorage } from "./testing/memory-storage";
import { actions, probeProgram } from "./testing/probe-program";
import { BEGAN, portsOn } from "./testing/session";
import { createVirtualTime, settled } from "./testing/virtual-time";

const { page, search } = actions;

function start(
  storage: MemoryStorage,
  limits: Partial<SegmentLimits> = {},
  log = "log-1",
  answer: () => unknown = () => ({ epoch: "e", data: [1] }),
) {
  const time = createVirtualTime();
  const deferred: (() => void)[] = [];
  const reported: unknown[] = [];
  const sink = createSegmentedSink({
    storage,
    log,
    tab: "tab-1",
    defer: (run) => void deferred.push(run),
    after: (ms, run) => void time.at(time.now() + ms, run),
    limits,
  });
  const live = createRecordedStore({
    program: probeProgram,
    ports: portsOn(time, answer, () => 0.5),
    header: { build: "test", channel: "northfield", locale: "en" },
    sample: () => ({ at: BEGAN + time.now(), mono: time.now() }),
    report: (error) => void reported.push(error),
    sink,
  });
  /** Runs deferred work to its end. */
  const rest = async (): Promise<void> => {
    for (let round = 0; round < 20; round++) {
      await settled();
      for (const run of deferred.splice(0)) run();
    }
    await settled();
  };
  return { ...live, sink, time, rest, deferred, reported };
}

type Started = ReturnType<typeof start>;

const open = async (times: number, session: Started): Promise<void> => {
  for (let count = 0; count < times; count++) session.store.dispatch(page.screenOpened());
  await session.rest();
};
const stored = async (storage: MemoryStorage, log = "log-1") => parseLog((await exportLog(storage, log)) ?? "");
const kinds = (lines: readonly Line[], kind: Line["kind"]) => lines.filter((line) => line.kind === kind);

describe("a stored log", () => {
  it("is written off the dispatch path, in few writes, and reads back as recorded", async () => {
    const storage = createMemoryStorage();
    const session = start(storage);
    await settled();
    for (let count = 0; count < 100; count++) session.store.dispatch(page.screenOpened());
    expect(storage.items.size).toBe(0);
    await session.rest();
    session.checkpoint();
    await session.rest();
    expect([...storage.items.keys()].length).toBeLessThanOrEqual(3);
    const text = (await exportLog(storage, "log-1")) ?? "";
    expect(parseLog(text).lines).toHaveLength(session.position());
    expect(replayText(probeProgram, text).status).toBe(0);
  });

  it("is a file up to the last checkpoint while it runs, and complete afterwards", async () => {
    const storage = createMemoryStorage();
    const session = start(storage);
    await settled();
    session.store.dispatch(page.screenOpened());
    session.checkpoint();
    const vouched = session.position();
    session.store.dispatch(page.screenOpened());
    await session.rest();
    const running = (await exportLog(storage, "log-1", true)) ?? "";
    expect(parseLog(running).lines).toHaveLength(vouched);
    expect(replayText(probeProgram, running).status).toBe(0);
    expect(replayText(probeProgram, (await exportLog(storage, "log-1")) ?? "").status).toBe(3);
  });

  it("writes lines recorded during a write with the next one", async () => {
    const storage = createMemoryStorage();
    const session = start(storage);
    await session.rest();
    storage.held = true;
    await open(5, session);
    await open(5, session);
    storage.held = false;
    storage.settle();
    await session.rest();
    expect((await stored(storage)).lines).toHaveLength(session.position());
  });

  it("continues in a new segment after a snapshot, and removes the oldest", async () => {
    const storage = createMemoryStorage();
    const session = start(storage, { chunk: 500, segment: 2000, segments: 3 });
    for (let round = 0; round < 20; round++) await open(5, session);
    const { lines } = await stored(storage);
    expect(lines[0]).toMatchObject({ kind: "snapshot", type: "rotated" });
    expect(lines[0]?.seq).toBeGreaterThan(1);
    expect(kinds(lines, "snapshot")).toHaveLength(3);
    const outcome = replayText(probeProgram, (await exportLog(storage, "log-1")) ?? "");
    expect(outcome).toMatchObject({ status: 3, sagas: expect.stringContaining("does not start at a page load") });
  });

  it("replays with its sagas across segments if it starts at the page load", async () => {
    const storage = createMemoryStorage();
    const session = start(storage, { chunk: 500, segment: 2000 });
    session.store.dispatch(search.typed({ title: "cup" }));
    for (let round = 0; round < 10; round++) {
      await session.time.pass(session.time.now() + 200);
      await open(5, session);
    }
    session.checkpoint();
    await session.rest();
    const outcome = replayText(probeProgram, (await exportLog(storage, "log-1")) ?? "");
    expect(outcome).toMatchObject({ status: 0, sagas: { same: true } });
    expect(kinds((await stored(storage)).lines, "snapshot").length).toBeGreaterThan(2);
  });

  it("isn't delayed by a snapshot larger than a segment", async () => {
    const storage = createMemoryStorage();
    const session = start(storage, { segment: 400 });
    for (let round = 0; round < 30; round++) await open(1, session);
    const { lines } = await stored(storage);
    const snapshots = kinds(lines, "snapshot");
    expect(snapshots.every((line) => JSON.stringify(line).length > 400)).toBe(true);
    // Two rounds per segment: a checkpoint follows each snapshot.
    expect(snapshots.length).toBeLessThanOrEqual(15);
  });

  it("stores lines recorded while it removes an old segment", async () => {
    const storage = createMemoryStorage();
    const session = start(storage, { segment: 400, segments: 1 });
    const { update } = storage;
    let removals = 0;
    storage.update = async (keys, change) => {
      await update(keys, change);
      if (![...change().values()].includes(undefined)) return;
      removals += 1;
      if (removals === 2) session.store.dispatch(page.popupShown());
    };
    for (let round = 0; round < 30 && removals < 2; round++) await open(1, session);
    expect(removals).toBe(2);
    const { lines } = await stored(storage);
    expect(lines.at(-1)).toMatchObject({ type: "page/popupShown", seq: session.position() });
  });

  it("settles a flush once its lines are durable", async () => {
    const storage = createMemoryStorage();
    const session = start(storage);
    session.store.dispatch(page.screenOpened());
    let durable = false;
    const flushed = session.flush().then(() => {
      durable = true;
    });
    await settled();
    expect(durable).toBe(false);
    await session.rest();
    await flushed;
    expect((await stored(storage)).lines).toHaveLength(session.position());
  });
});

describe("a full storage", () => {
  it("causes a gap, rejects the flush, and continues after a snapshot once there is space", async () => {
    const storage = createMemoryStorage();
    const session = start(storage, { chunk: 300, firstRetry: 1000 });
    await open(3, session);
    const before = session.position();
    storage.capacity = 0;
    session.store.dispatch(page.screenOpened());
    const refused = expect(session.flush()).rejects.toThrow("could not be stored: QuotaExceededError");
    await session.rest();
    await refused;
    await expect(session.flush()).rejects.toThrow("could not be stored");
    await open(4, session);
    storage.capacity = Number.POSITIVE_INFINITY;
    await session.time.pass(session.time.now() + 1000);
    await open(2, session);

    const { lines } = await stored(storage);
    const gap = lines.findIndex(({ kind }) => kind === "gap");
    expect(lines[gap]?.payload).toEqual({ from: before + 1, to: before + 6, reason: "QuotaExceededError" });
    expect(lines[gap + 1]).toMatchObject({ kind: "snapshot", type: "resumed" });
    session.store.dispatch(page.screenOpened());
    session.checkpoint();
    await session.rest();
    // The snapshot contained all slices, so only later changes are hashed.
    const checkpoint = (await stored(storage)).lines.at(-1) as CheckpointLine;
    expect(Object.keys(checkpoint.payload.slices)).toEqual(["page"]);
    const outcome = replayText(probeProgram, (await exportLog(storage, "log-1")) ?? "");
    expect(outcome).toMatchObject({ status: 3, sagas: { same: true, upTo: gap + 2 } });
    if (outcome.status === 2) throw new Error("unreadable");
    expect(outcome.reducers.hash).toBe(stateHash(session.store.getState()));
    expect(kinds(lines, "gap")).toHaveLength(1);
  });

  it("that doesn't answer blocks neither the session nor its memory", async () => {
    const storage = createMemoryStorage();
    const session = start(storage, { pending: 2000 });
    await session.rest();
    storage.held = true;
    await open(1, session);
    const refused = expect(session.flush()).rejects.toThrow("could not be stored: Stalled");
    await open(20, session);
    await refused;
    await session.time.pass(session.time.now() + 1000);
    const before = session.position();
    await open(1, session);
    // An opened screen, and no gap while nothing answers.
    expect(session.position()).toBe(before + 1);
    storage.held = false;
    storage.settle();
    await session.rest();
    await open(2, session);
    session.checkpoint();
    await session.rest();
    expect(kinds((await stored(storage)).lines, "gap")).toHaveLength(1);
    const outcome = replayText(probeProgram, (await exportLog(storage, "log-1")) ?? "");
    expect(outcome).toMatchObject({ status: 3, sagas: { same: true, upTo: expect.any(Number) } });
    if (outcome.status === 2) throw new Error("unreadable");
    expect(outcome.reducers.hash).toBe(stateHash(session.store.getState()));
  });

  it("is retried less and less often", async () => {
    const storage = createMemoryStorage();
    storage.capacity = 0;
    const session = start(storage, { firstRetry: 1000, longestRetry: 4000 });
    for (let second = 0; second < 20; second++) {
      await session.time.pass(session.time.now() + 1000);
      await open(1, session);
    }
    // After about 0, 1, 3, 7, 11, 15 and 19 seconds.
    expect(storage.refused).toBeGreaterThanOrEqual(5);
    expect(storage.refused).toBeLessThanOrEqual(8);
  });

  it("doesn't remove a segment that is still to be stored", async () => {
    const storage = createMemoryStorage();
    const session = start(storage, { chunk: 300, segment: 800, segments: 2 });
    await session.rest();
    for (let count = 0; count < 20; count++) session.store.dispatch(page.screenOpened());
    storage.refusing = 1;
    await session.rest();
    await session.time.pass(session.time.now() + 1000);
    for (let round = 0; round < 20; round++) await open(2, session);
    const { lines } = await stored(storage);
    expect(kinds(lines, "snapshot")).toHaveLength(2);
    expect(lines.every(({ seq }, index) => index === 0 || seq === (lines[index - 1]?.seq ?? 0) + 1)).toBe(true);
  });

  it("loses its own oldest segments before it loses a line", async () => {
    const storage = createMemoryStorage();
    const session = start(storage, { chunk: 500, segment: 2000 });
    for (let round = 0; round < 10; round++) await open(5, session);
    const size = [...storage.items.values()].reduce((sum: number, item) => sum + JSON.stringify(item).length, 0);
    storage.capacity = size + 300;
    for (let round = 0; round < 10; round++) await open(5, session);
    const { lines } = await stored(storage);
    expect(kinds(lines, "gap")).toEqual([]);
    expect(lines[0]?.seq).toBeGreaterThan(1);
    expect(lines.at(-1)?.seq).toBe(session.position());
  });
});

describe("recovery", () => {
  it("restores the last stored action, whenever the tab was killed", async () => {
    const storage = createMemoryStorage();
    const session = start(storage, { chunk: 400, segment: 1500 });
    for (let round = 0; round < 15; round++) {
      await open(2, session);
      await session.time.pass(session.time.now() + 300);
      session.store.dispatch(search.typed({ title: "a".repeat(round) }));
      await session.rest();
      const recovered = recoverState(probeProgram, await stored(storage));
      expect(stateHash(recovered.state)).toBe(stateHash(session.store.getState()));
      expect(recovered.position).toBe(session.position());
    }
  });

  it("folds only the lines after the persisted state", async () => {
    const storage = createMemoryStorage();
    const session = start(storage, { segment: 400 });
    await open(5, session);
    const persisted = { state: session.store.getState() as never, position: session.position() };
    // An action whose reducer throws changed nothing, then or now.
    session.store.dispatch(page.poisoned());
    await open(1, session);
    const log = await stored(storage);
    const snapshots = kinds(log.lines, "snapshot").map(({ seq }) => seq);
    expect(snapshots.some((seq) => seq < persisted.position)).toBe(true);
    const recovered = recoverState(probeProgram, log, persisted);
    expect(recovered.actions).toBe(2);
    expect(recovered.state).toEqual(session.store.getState());
  });

  it("stops before a gap in the lines, unless a snapshot follows it", async () => {
    const storage = createMemoryStorage();
    const session = start(storage);
    await open(6, session);
    const { header, lines } = await stored(storage);
    const hole = lines.findIndex(({ type }) => type === "page/screenOpened") + 2;
    const holed = lines.filter((_line, index) => index !== hole);
    expect(recoverState(probeProgram, { header, lines: holed }).position).toBe(hole);
    const state = { ...session.store.getState() } as never;
    const mend = {
      ...lines[0],
      seq: 90,
      kind: "snapshot",
      payload: { state, counters: {}, open: [], hashes: {} },
    } as Line;
    expect(recoverState(probeProgram, { header, lines: [...holed, mend] })).toMatchObject({ position: 90, state });
  });
});

describe("the blobs of a stored log", () => {
  /** Long answers, each of which repeats part of the one before. */
  const long = (round: number) => ({ epoch: "e", data: [`${"long".repeat(200)} ${Math.floor(round / 3)}`] });

  async function searched(storage: MemoryStorage, rounds: number, limits: Partial<SegmentLimits>) {
    let round = 0;
    const session = start(storage, limits, "log-1", () => long(round));
    await settled();
    for (; round < rounds; round++) {
      session.store.dispatch(search.typed({ title: `cup ${round}` }));
      await session.time.pass(session.time.now() + 1_000);
      await session.rest();
    }
    session.checkpoint();
    await session.rest();
    return session;
  }
  const blobsIn = (storage: MemoryStorage) => [...storage.items.keys()].filter((key) => key.includes("/blobs/"));

  it("are in it once each, and it replays", async () => {
    const storage = createMemoryStorage();
    await searched(storage, 9, {});
    const texts = [...storage.items].filter(([key]) => key.includes("/blobs/")).map(([, text]) => String(text));
    expect(texts.filter((text) => text.includes("longlong"))).not.toEqual([]);
    for (const answer of [0, 1, 2])
      expect(texts.filter((text) => text.includes(`long ${answer}`)).length).toBeLessThanOrEqual(2);
    expect(replayText(probeProgram, (await exportLog(storage, "log-1")) ?? "").status).toBe(0);
  });

  it("are removed with the last segment that needs them, and no sooner", async () => {
    const storage = createMemoryStorage();
    await searched(storage, 40, { chunk: 500, segment: 4_000, segments: 3 });
    const text = (await exportLog(storage, "log-1")) ?? "";
    const outcome = replayText(probeProgram, text);
    expect(outcome).toMatchObject({ status: 3, reducers: { same: true } });
    const needed = blobsIn(storage).filter((key) => text.includes(`{"$blob":"${key.split("/").at(-1)}"}`));
    expect(blobsIn(storage)).toEqual(needed);
    expect(text).not.toContain("longlong 0");
    expect(text.length).toBeLessThan(40_000);
  });

  it("that were lost in an outage are written again after it", async () => {
    const storage = createMemoryStorage();
    const session = await searched(storage, 2, {});
    storage.refusing = 1;
    session.store.dispatch(search.typed({ title: "lost" }));
    await session.time.pass(session.time.now() + 1_000);
    await session.rest();
    await session.time.pass(session.time.now() + 2_000);
    session.store.dispatch(search.typed({ title: "told" }));
    await session.time.pass(session.time.now() + 1_000);
    session.checkpoint();
    await session.rest();
    const outcome = replayText(probeProgram, (await exportLog(storage, "log-1")) ?? "");
    expect(outcome).toMatchObject({ status: 3, reducers: { same: true, state: session.store.getState() } });
  });
});

describe("the archive", () => {
  it("lists logs, including those of crashed sessions, exports and removes them", async () => {
    const storage = createMemoryStorage();
    const first = start(storage, {}, "log-1");
    const second = start(storage, {}, "log-2");
    await open(1, first);
    await open(1, second);
    const closing = first.sink.close();
    await first.rest();
    await closing;
    expect((await listLogs(storage)).map(({ log, tab, closed }) => ({ log, tab, closed }))).toEqual([
      { log: "log-1", tab: "tab-1", closed: true },
      { log: "log-2", tab: "tab-1", closed: false },
    ]);
    expect(replayText(probeProgram, (await exportLog(storage, "log-2")) ?? "")).toMatchObject({
      status: 3,
      missing: [{ line: 2, what: "no checkpoint from here to the end" }],
    });
    expect(await exportLog(storage, "log-3")).toBeUndefined();
    await removeLog(storage, "log-2");
    expect((await listLogs(storage)).map(({ log }) => log)).toEqual(["log-1"]);
    expect([...storage.items.keys()].filter((key) => key.startsWith("log-2"))).toEqual([]);
  });

  it("reports a page that closed when its log had only just started", async () => {
    const storage = createMemoryStorage();
    storage.held = true;
    const session = start(storage);
    await session.rest();
    const closing = session.sink.close();
    storage.held = false;
    storage.settle();
    await session.rest();
    await closing;
    expect((await listLogs(storage)).map(({ closed }) => closed)).toEqual([true]);
  });

  it("stores a page's last actions although no write was answered any more", async () => {
    const storage = createMemoryStorage();
    const session = start(storage);
    await session.rest();
    storage.held = true;
    session.store.dispatch(search.typed({ title: "und" }));
    await session.rest();
    session.store.dispatch(search.typed({ title: "under way" }));
    storage.leave = (entries) => {
      for (const [key, value] of entries) storage.items.set(key, structuredClone(value));
    };
    session.sink.close().catch(() => undefined);
    expect((await listLogs(storage)).map(({ closed }) => closed)).toEqual([true]);
    expect((await stored(storage)).lines).toHaveLength(session.position());
  });

  it("doesn't treat a restored page as closed", async () => {
    const storage = createMemoryStorage();
    const session = start(storage);
    const closing = session.sink.close();
    await session.rest();
    await closing;
    await open(1, session);
    expect((await listLogs(storage)).map(({ closed }) => closed)).toEqual([false]);
  });

  it("retains the newest logs and the needed ones", async () => {
    const storage = createMemoryStorage();
    for (const log of ["log-1", "log-2", "log-3", "log-4"]) await open(1, start(storage, {}, log));
    expect(await pruneLogs(storage, 1, ({ log }) => log === "log-1")).toBe(2);
    expect((await listLogs(storage)).map(({ log }) => log)).toEqual(["log-1", "log-4"]);
  });
});

describe("a log whose viewer left (LOG-4)", () => {
  it("restarts with a snapshot, and nothing from before it is stored", async () => {
    const storage = createMemoryStorage();
    const session = start(storage, { chunk: 400 });
    await open(8, session);
    session.store.dispatch(search.typed({ title: "of the first viewer" }));
    await session.rest();
    session.sink.restart(session.position());
    await open(2, session);
    session.checkpoint();
    const flushed = session.flush();
    await session.rest();
    await flushed;
    const text = (await exportLog(storage, "log-1")) ?? "";
    expect(text.split("\n")[1]).toContain('"kind":"snapshot"');
    expect(JSON.stringify(await storage.entries(""))).not.toContain('"type":"search/typed"');
    expect(replayText(probeProgram, text)).toMatchObject({ status: 3 });
  });

  it("doesn't count as stored while earlier lines exist", async () => {
    const storage = createMemoryStorage();
    const session = start(storage, { chunk: 400 });
    await open(8, session);
    session.sink.restart(session.position());
    session.store.dispatch(page.screenOpened());
    const update = storage.update.bind(storage);
    storage.update = async (keys, entries) => {
      if ([...entries().values()].some((value) => value === undefined)) throw new Error("UnknownError");
      return update(keys, entries);
    };
    const flushed = session.flush().then(
      () => "stored",
      () => "refused",
    );
    await session.rest();
    expect(await flushed).toBe("refused");
  });
});
