import { describe, expect, it } from "vitest";
import { PortError } from "../ports/error";
import type { CheckpointLine, Line } from "./envelope";
import { stateHash } from "./hash";
import { parseLog } from "./parse";
import { replayText } from "./replay";
import { report } from "./report";
import { actions, probeProgram } from "./testing/probe-program";
import { type Answering, away, BEGAN, type ProbeSession, startSession } from "./testing/session";
import { settled } from "./testing/virtual-time";

const { order, page, probes, search } = actions;

const linesOf = (session: ProbeSession): readonly Line[] => parseLog(session.sink.text()).lines;
const outlines = (lines: readonly Line[]): string[] =>
  lines.map((line) => `${line.origin} ${line.kind === "effect" ? line.call : line.type}`);
const since = (session: ProbeSession, from: number): string[] => outlines(linesOf(session).slice(from));

/** Expects both replays of a session's log to reach the session's state. */
function expectSame(session: ProbeSession): void {
  const outcome = replayText(probeProgram, session.log());
  if (outcome.status !== 0) throw new Error(report("session", outcome, "test"));
  const hash = stateHash(session.store.getState());
  expect(outcome.reducers.hash).toBe(hash);
  expect(typeof outcome.sagas === "string" ? outcome.sagas : outcome.sagas.hash).toBe(hash);
}

/** Answers everything at once, all calls of one tick in the order they were made. */
const atOnce: Answering = (method) =>
  method === "sync.connect" ? { epoch: "e" } : { data: [1], status: "paid", version: 1 };

describe("a recorded store", () => {
  it("writes an action before its reducer runs, then the sagas' actions", async () => {
    const session = startSession({ answer: atOnce });
    await settled();
    const from = linesOf(session).length;
    session.store.dispatch(order.payPressed());
    expect(since(session, from)).toEqual([
      "ui order/payPressed",
      "saga newId:order#1",
      "saga order/placed",
      "saga order/pollDue",
    ]);
    expectSame(session);
  });

  it("answers two calls of one tick in two turns, each after its line", async () => {
    const session = startSession({ answer: atOnce });
    await settled();
    const from = linesOf(session).length;
    session.store.dispatch(probes.asked({ n: 1 }));
    await settled();
    expect(since(session, from)).toEqual([
      "ui probes/asked",
      "api api.getEvent:10#1",
      "saga probes/settled",
      "api api.getEvent:11#1",
      "saga probes/settled",
      "api api.getEvent:12#1",
      "saga probes/settled",
      "saga probes/finished",
    ]);
    expectSame(session);
  });

  it("queues a subscriber's action as its own turn", async () => {
    const session = startSession({ answer: atOnce });
    await settled();
    const from = linesOf(session).length;
    const seen: boolean[] = [];
    session.store.subscribe(() => {
      const { popup } = session.store.getState().page;
      if (!popup && session.store.getState().order.at === "processing") {
        session.store.dispatch(page.popupShown());
        seen.push(session.store.getState().page.popup);
      }
    });
    session.store.dispatch(order.payPressed());
    expect(seen).toEqual([false]);
    expect(since(session, from).at(-1)).toBe("ui page/popupShown");
    expectSame(session);
  });

  it("notifies subscribers once per turn, and not at all without a change", async () => {
    const session = startSession({ answer: atOnce });
    await settled();
    let count = 0;
    const unsubscribe = session.store.subscribe(() => {
      count += 1;
    });
    session.store.dispatch(order.payPressed());
    session.store.dispatch(probes.stopPressed());
    expect(count).toBe(1);
    unsubscribe();
    session.store.dispatch(page.screenOpened());
    expect(count).toBe(1);

    // A function that subscribed twice is called twice, until each subscription is undone.
    const listener = (): void => {
      count += 1;
    };
    const [first] = [session.store.subscribe(listener), session.store.subscribe(listener)];
    session.store.dispatch(page.screenOpened());
    expect(count).toBe(3);
    first();
    session.store.dispatch(page.screenOpened());
    expect(count).toBe(4);
  });

  it("notifies only those who subscribed before the turn", async () => {
    const session = startSession({ answer: atOnce });
    await settled();
    const notified: string[] = [];
    session.store.subscribe(() => {
      notified.push("first");
      if (notified.length === 1) session.store.subscribe(() => void notified.push("late"));
    });
    session.store.dispatch(page.screenOpened());
    expect(notified).toEqual(["first"]);
    session.store.dispatch(page.screenOpened());
    expect(notified).toEqual(["first", "first", "late"]);
  });

  it("continues after a subscriber that throws, and reports it", async () => {
    const session = startSession({ answer: atOnce });
    await settled();
    let count = 0;
    session.store.subscribe(() => {
      throw new Error("first");
    });
    session.store.subscribe(() => {
      count += 1;
    });
    session.store.dispatch(page.screenOpened());
    expect(count).toBe(1);
    expect(session.reported).toEqual([new Error("first")]);
  });

  it("aborts a cancelled call, which leaves no line", async () => {
    const aborted: unknown[] = [];
    const session = startSession({
      answer(method, args, signal) {
        if (method !== "api.getEvent") return away();
        return new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            aborted.push(args.id);
            resolve({ id: args.id });
          });
        });
      },
    });
    await settled();
    session.store.dispatch(probes.asked({ n: 2 }));
    session.store.dispatch(probes.stopPressed());
    await settled();
    expect(aborted).toEqual([20, 21, 22]);
    expect(linesOf(session).filter((line) => line.type === "api.getEvent")).toEqual([]);
    expect(session.openCalls().filter((call) => call.startsWith("api.getEvent"))).toEqual([]);
    expectSame(session);
  });

  it("continues after a throwing reducer, whose turn ends with a checkpoint", async () => {
    const session = startSession({ answer: atOnce });
    await settled();
    session.store.dispatch(page.poisoned());
    expect(linesOf(session).at(-1)).toMatchObject({ kind: "checkpoint", type: "crashed" });
    expect(session.reported).toHaveLength(1);
    session.store.dispatch(page.screenOpened());
    expect(session.store.getState().page.opened).toBe(1);
    expectSame(session);
  });

  it("throws a reducer's error into the saga that put the action", async () => {
    const session = startSession({ answer: atOnce });
    await settled();
    session.store.dispatch(page.poisonAsked());
    expect(session.store.getState().page.crashes).toEqual(["poison: a poisoned reducer"]);
    expect(session.reported).toEqual([]);
    expectSame(session);
  });

  it("continues after an unsupervised saga has died", async () => {
    const session = startSession({ answer: atOnce });
    await settled();
    session.store.dispatch(page.lonelyKilled());
    expect(session.reported).toEqual([new Error("no one supervises me")]);
    session.store.dispatch(order.payPressed());
    expect(session.store.getState().order.at).toBe("processing");
    expectSame(session);
  });

  it("passes sagas and reducers the log's copy, not the port's value", async () => {
    const careless = { data: [{ when: new Date(0), none: undefined, not: Number.NaN, set: new Set([1]) }] };
    const session = startSession({ answer: (method) => (method === "api.searchVod" ? careless : away()) });
    await settled();
    session.store.dispatch(search.typed({ title: "cup" }));
    await session.time.pass(400);
    expect(session.store.getState().search.hits).toEqual([{ when: "1970-01-01T00:00:00.000Z", not: null, set: {} }]);
    expectSame(session);
  });

  it("refuses an input that isn't JSON, and reports it", async () => {
    const session = startSession({ answer: atOnce });
    await settled();
    const before = session.position();
    session.input("sync", { type: "page/socketClosed", payload: 1n } as never);
    expect(session.position()).toBe(before);
    expect(session.reported[0]).toBeInstanceOf(TypeError);
  });

  it("records a port's failure with everything a saga may read from it", async () => {
    const refused = new PortError({ code: "refused", message: "No", status: 400, errors: { title: ["too long"] } });
    const session = startSession({
      answer: (method) => (method === "api.searchVod" ? Promise.reject(refused) : away()),
    });
    await settled();
    session.store.dispatch(search.typed({ title: "cup" }));
    await session.time.pass(400);
    const line = linesOf(session).find(({ type }) => type === "api.searchVod");
    expect(line?.payload).toMatchObject({ err: refused.toJSON() });
    expectSame(session);
  });

  it("records how long a call of the API was open", async () => {
    let answerNow: (value: unknown) => void = () => undefined;
    const waiting = new Promise((resolve) => {
      answerNow = resolve;
    });
    const session = startSession({ answer: (method) => (method === "api.searchVod" ? waiting : away()) });
    await settled();
    session.store.dispatch(search.typed({ title: "cup" }));
    // The search waits for 300 ms of silence.
    await session.time.pass(1_500);
    answerNow([]);
    await settled();
    const answers = linesOf(session).filter(({ kind }) => kind === "effect");
    const took = answers.map(({ type, payload }) => [type, (payload as { took?: number }).took]);
    expect(took.filter(([, ms]) => ms !== undefined)).toEqual([["api.searchVod", 1_200]]);
    expectSame(session);
  });

  it("freezes time within a turn, even while the clock jumps back an hour", async () => {
    const instants = [0, 1, -3_600_000, 5, 7];
    let reads = 0;
    const session = startSession({ answer: atOnce, clockError: () => instants[reads++ % instants.length] ?? 0 });
    await settled();
    session.store.dispatch(order.payPressed());
    await session.time.pass(9000);
    const lines = linesOf(session);
    const from = lines.findIndex(({ type }) => type === "order/payPressed");
    const turn = lines.slice(from, from + 4);
    expect(new Set(turn.map(({ at }) => at)).size).toBe(1);
    expect(turn[0]?.at).toBe(BEGAN + (instants[2] ?? 0));
    expect(turn[0]?.mono).toBe(0);
    expect(lines.some(({ at, mono }) => at === BEGAN + mono - 3_600_000)).toBe(true);
    expectSame(session);
  });

  it("isolates a second store of the realm that a port dispatches to", async () => {
    const neighbour = startSession({ answer: atOnce });
    const session = startSession({
      answer(method, args, signal) {
        // The first store's saga is running, so redux-saga's scheduler, which both share, is held.
        if (method === "api.getEvent") {
          neighbour.store.dispatch(order.payPressed());
          neighbour.input("sync", order.statusSeen({ status: "paid", version: 1 }));
        }
        return atOnce(method, args, signal);
      },
    });
    await settled();
    session.store.dispatch(probes.asked({ n: 3 }));
    await settled();
    expect(neighbour.store.getState().order.at).toBe("paid");
    expectSame(session);
    expectSame(neighbour);
  });

  it("handles Strict Mode's double effects", async () => {
    const session = startSession({ answer: atOnce });
    await settled();
    const mount = (): (() => void) => {
      session.store.dispatch(page.screenOpened());
      const unsubscribe = session.store.subscribe(() => {});
      return () => {
        unsubscribe();
        session.store.dispatch(page.screenClosed());
      };
    };
    mount()();
    mount();
    expect(session.store.getState().page.opened).toBe(1);
    expectSame(session);
  });

  it("takes a checkpoint when idle, and after a number of actions otherwise", async () => {
    const quiet: (() => void)[] = [];
    const session = startSession({ answer: atOnce, idle: (run) => void quiet.push(run), checkpointEvery: 10 });
    await settled();
    for (let count = 0; count < 2; count++) session.store.dispatch(page.screenOpened());
    expect(quiet).toHaveLength(0);
    session.store.dispatch(page.screenOpened());
    expect(quiet).toHaveLength(1);
    quiet[0]?.();
    const idle = linesOf(session).at(-1);
    expect(idle).toMatchObject({ kind: "checkpoint", type: "idle" });
    expect(linesOf(session).filter(({ kind }) => kind === "checkpoint")).toHaveLength(1);
    for (let count = 0; count < 10; count++) session.store.dispatch(page.screenOpened());
    // Awaited once, regardless of the number of actions.
    expect(quiet).toHaveLength(2);
    const counted = linesOf(session).at(-1) as CheckpointLine;
    expect(counted).toMatchObject({ kind: "checkpoint", type: "counted" });
    // Only changes since the last checkpoint are hashed.
    expect(Object.keys(counted.payload.slices)).toEqual(["page"]);
    expectSame(session);
  });

  it("continues from a snapshot, with which its log starts", async () => {
    const first = startSession({ answer: atOnce });
    await settled();
    first.store.dispatch(page.screenOpened());
    const second = startSession({ answer: atOnce, snapshot: first.store.getState() });
    await settled();
    expect(linesOf(second)[0]).toMatchObject({ seq: 1, kind: "snapshot", type: "started" });
    expect(second.store.getState().page.opened).toBe(1);
    expectSame(second);
  });
});

describe("lines that are written in idle time", () => {
  /** A session whose lines wait until `give` grants a number of steps. */
  function deferring() {
    const waiting: ((goesOn: () => boolean) => void)[] = [];
    const session = startSession({ answer: atOnce, defer: (run) => void waiting.push(run) });
    return {
      session,
      waiting,
      give(steps: number) {
        let remaining = steps;
        waiting.shift()?.(() => --remaining > 0);
      },
    };
  }
  it("cost a dispatch only their position, and record the state of their time", async () => {
    const { session, waiting } = deferring();
    await settled();
    session.store.dispatch(order.payPressed());
    await session.time.pass(5_000);
    session.checkpoint();
    session.store.dispatch(page.screenOpened());
    session.checkpoint();
    expect(session.sink.text().split("\n")).toHaveLength(2);
    expect(waiting).toHaveLength(1);
    session.drain();
    expectSame(session);
  });

  it("are written in slices that end on request, one at a time", async () => {
    const { session, waiting, give } = deferring();
    await settled();
    for (let count = 0; count < 9; count++) session.store.dispatch(page.screenOpened());
    const all = session.position();
    give(3);
    expect(linesOf(session).length).toBeLessThan(all);
    expect(waiting).toHaveLength(1);
    give(1_000);
    expect(waiting).toHaveLength(0);
    expect(linesOf(session)).toHaveLength(all);
  });

  it("are all written for a flush, up to the end of the requesting turn, in slices", async () => {
    const { session, waiting, give } = deferring();
    await settled();
    let flushed: Promise<void> | undefined;
    const stop = session.store.subscribe(() => {
      flushed ??= session.flush();
    });
    session.store.dispatch(order.payPressed());
    stop();
    const position = session.position();
    let isStored = false;
    void flushed?.then(() => {
      isStored = true;
    });
    await settled();
    expect(linesOf(session)).toHaveLength(0);
    for (let goes = 0; goes < 100 && waiting.length > 0; goes++) {
      expect(isStored).toBe(false);
      const before = linesOf(session).length;
      give(1);
      await settled();
      expect(linesOf(session).length - before).toBeLessThanOrEqual(1);
    }
    await flushed;
    expect(linesOf(session)).toHaveLength(position);
  });

  it("are written a few per dispatch on a page without idle time, and their queue doesn't grow", async () => {
    const { session } = deferring();
    await settled();
    let longest = 0;
    let written = 0;
    for (let count = 0; count < 7_000; count++) {
      session.store.dispatch(page.screenOpened());
      const now = session.sink.lines();
      longest = Math.max(longest, now - written);
      written = now;
    }
    expect(written).toBeGreaterThan(1_000);
    expect(longest).toBeLessThanOrEqual(4);
    expect(session.position() - written).toBeLessThan(5_100);
    session.checkpoint();
    session.drain();
    expectSame(session);
  });

  it("allow a big answer to be copied in slices before its turn", async () => {
    const big = Array.from({ length: 10_000 }, (_, index) => ({ index, deep: [{ index }] }));
    const waiting: ((goesOn: () => boolean) => void)[] = [];
    const session = startSession({ answer: () => big, defer: (run) => void waiting.push(run) });
    await settled();
    session.store.dispatch(order.payPressed());
    await settled();
    const isAnswered = (): boolean => {
      session.drain();
      return session.sink.text().includes('"index":9999');
    };
    expect(isAnswered()).toBe(false);
    let goes = 0;
    for (; goes < 1_000 && !isAnswered(); goes++) {
      waiting.shift()?.(() => false);
      await settled();
    }
    expect(goes).toBeGreaterThan(20);
    session.checkpoint();
    session.drain();
    expectSame(session);
  });
});
