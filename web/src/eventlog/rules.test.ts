import { combineReducers, type Middleware, type UnknownAction } from "@reduxjs/toolkit";
import * as effects from "redux-saga/effects";
import { afterEach, describe, expect, it, vi } from "vitest";
import { methods, sleep } from "../ports/world";
import type { Reason } from "./divergence";
import type { Line, SnapshotLine } from "./envelope";
import type { AnyProgram } from "./folding";
import type { Program } from "./live";
import { fileLine, parseLog } from "./parse";
import { replayLog, replayText } from "./replay";
import { replaySagas } from "./replay-sagas";
import { logText, snapshotOf } from "./testing/logText";
import { actions, probeProgram } from "./testing/probe-program";
import { away, type SessionSetup, startSession } from "./testing/session";
import { settled } from "./testing/virtual-time";

/** The verdict of the sagas' replay, or "same". */
function verdict(log: string, program: AnyProgram = probeProgram): Reason | "same" | string {
  const outcome = replayText(program, log);
  if (outcome.status === 2) return outcome.unreadable;
  if (typeof outcome.sagas === "string") return outcome.sagas;
  return outcome.sagas.divergence?.why ?? outcome.reducers.divergence?.why ?? "same";
}

/** Runs the session that tests a rule on an engine with one broken part. */
async function recordWith(part: string | null, broken: (real: never) => object): Promise<string> {
  vi.resetModules();
  if (part) vi.doMock(part, async (original) => broken((await original()) as never));
  const testing = await import("./testing/session");
  const { actions: fresh } = await import("./testing/probe-program");
  let reads = 0;
  const session = testing.startSession({
    clockError: () => reads++,
    answer(method, { title }, signal) {
      if (title === "cup") {
        signal.addEventListener("abort", () => session.input("sync", fresh.page.screenOpened()));
        return new Promise(() => {});
      }
      if (method === "api.searchVod") return { data: [new Date(0)] };
      return method === "sync.connect" ? { epoch: "e" } : testing.away();
    },
  });
  await settled();
  session.store.dispatch(fresh.order.payPressed());
  session.store.dispatch(fresh.probes.asked({ n: 1 }));
  session.store.dispatch(fresh.search.typed({ title: "cup" }));
  await session.time.pass(400);
  // Cancels the current search, whose port sends an input at just that moment.
  session.store.dispatch(fresh.search.typed({ title: "final" }));
  await session.time.pass(5000);
  return session.log();
}

afterEach(() => {
  vi.doUnmock("./turns");
  vi.doUnmock("./plain");
  vi.doUnmock("./recorder");
  vi.resetModules();
});

describe("the session that tests the rules", () => {
  it("replays the same on the intact engine", async () => {
    expect(verdict(await recordWith(null, () => ({})))).toBe("same");
  });
});

describe("rule 1, turns", () => {
  it("is enforced: an input that runs within another's turn diverges", async () => {
    const log = await recordWith("./turns", (real: typeof import("./turns")) => ({
      ...real,
      createTurns(hooks: Parameters<typeof real.createTurns>[0]) {
        const turns = real.createTurns(hooks);
        let within = false;
        return {
          ...turns,
          run(body: () => void) {
            if (within) return body();
            return turns.run(() => {
              within = true;
              try {
                body();
              } finally {
                within = false;
              }
            });
          },
        };
      },
    }));
    expect(verdict(log)).toMatch(/order|different|extra|missing/);
  });
});

describe("rule 2, time stands still within a turn", () => {
  it("is enforced: a clock that is read again within a turn diverges", async () => {
    const log = await recordWith("./turns", (real: typeof import("./turns")) => ({
      ...real,
      createTurns: (hooks: Parameters<typeof real.createTurns>[0]) => ({
        ...real.createTurns(hooks),
        now: hooks.sample,
      }),
    }));
    expect(verdict(log)).toMatch(/order|different-action/);
  });
});

describe("rule 3, sagas never touch a promise", () => {
  const programOf = (rootSaga: () => Generator): Program<never> => ({
    reducer: probeProgram.reducer as never,
    rootSaga: rootSaga as never,
    methods,
  });

  it("is enforced: a saga that yields one diverges", async () => {
    const program = programOf(function* () {
      yield Promise.resolve();
      yield effects.put(actions.page.wentLive());
    });
    const session = startSession({ program: program as never });
    await settled();
    expect(session.store.getState().page.live).toBe(true);
    expect(verdict(session.log(), program)).toBe("missing-action");
  });
});

describe("rule 4, JSON before use", () => {
  it("is enforced: an answer that a saga sees raw diverges", async () => {
    const log = await recordWith("./plain", (real: typeof import("./plain")) => ({
      ...real,
      plain: (value: unknown) => value,
      *plainInParts(value: unknown): Generator<void, unknown> {
        yield;
        return value;
      },
    }));
    expect(verdict(log)).toBe("state");
  });
});

describe("rule 5, two dispatches and the recorder outermost", () => {
  it("is enforced: a recorder that writes after the reducer and the sagas diverges", async () => {
    const log = await recordWith("./recorder", (real: typeof import("./recorder")) => ({
      ...real,
      createRecorder(options: Parameters<typeof real.createRecorder>[0]) {
        const recorder = real.createRecorder(options);
        const behind: Middleware = (api) => (next) => (action) => {
          const result = next(action);
          recorder.middleware(api)(() => action)(action);
          return result;
        };
        return { ...recorder, middleware: behind };
      },
    }));
    expect(verdict(log)).toMatch(/extra-action|different|missing|order/);
  });

  it("is enforced: a dispatched function is refused", async () => {
    const session = startSession();
    await settled();
    const thunk = (() => {}) as never as UnknownAction;
    const before = session.position();
    session.store.dispatch(thunk);
    expect(session.store.getState().page.opened).toBe(0);
    expect(session.reported).toHaveLength(1);
    expect(session.position()).toBe(before);
  });
});

describe("rule 7, naming of calls", () => {
  const searching = async (setup: SessionSetup = {}): Promise<string> => {
    const session = startSession({
      answer: (method) => (method === "api.searchVod" ? { data: [1] } : away()),
      ...setup,
    });
    await settled();
    session.store.dispatch(actions.search.typed({ title: "cup" }));
    await session.time.pass(1000);
    return session.log();
  };

  it("is enforced: an identity that isn't the call's own diverges", async () => {
    let effectId = 0;
    const named = { ...methods, "api.searchVod": { origin: "api" as const, identity: () => String(effectId++) } };
    const program = { ...probeProgram, methods: named };
    expect(verdict(await searching({ program }), program)).toBe("unasked-answer");
  });

  it("allows a log to replay although its sagas were moved and renamed since", async () => {
    const log = await searching();
    function* moved(): Generator {
      yield effects.call(function* renamed(): Generator {
        yield* probeProgram.rootSaga() as Generator;
      });
    }
    expect(verdict(log, { ...probeProgram, rootSaga: moved as never })).toBe("same");
  });

  it("diverges if a call of the same name has other arguments", async () => {
    const { header, lines } = parseLog(await searching());
    const others = lines.map((line) =>
      line.kind === "effect" && line.type === "api.searchVod"
        ? { ...line, payload: { ...line.payload, args: "00000000" } }
        : line,
    );
    const outcome = replayText(probeProgram, logText(header, others));
    if (outcome.status === 2 || typeof outcome.sagas === "string") throw new Error("not replayed");
    expect(outcome).toMatchObject({ status: 1, kind: "diverged" });
    expect(outcome.sagas.divergence).toMatchObject({
      why: "different-arguments",
      expected: { call: "api.searchVod:cup,0#1", args: "00000000" },
    });
  });
});

describe("rule 8, checkpoints", () => {
  it("are enforced: a stateful reducer is detected, by the name of its slice", async () => {
    let calls = 0;
    const program: Program<never> = {
      ...probeProgram,
      reducer: combineReducers({ page: () => ({ calls: calls++ }), search: (state = {}) => state }) as never,
      rootSaga: function* () {} as never,
    };
    const session = startSession({ program: program as never });
    await settled();
    session.store.dispatch(actions.page.screenOpened());
    const outcome = replayText(program, session.log());
    if (outcome.status === 2 || typeof outcome.sagas === "string") throw new Error("not replayed");
    expect(outcome.reducers.divergence).toMatchObject({ why: "state", slices: ["page"] });
    expect(outcome.sagas.divergence).toMatchObject({ why: "state", slices: ["page"] });
  });

  it("break no old log for a new slice, nor for one of a new shape", async () => {
    const session = startSession();
    await settled();
    session.store.dispatch(actions.page.screenOpened());
    const checked = session.log();
    const { header, lines } = parseLog(checked);
    const snapshot = {
      ...(lines.at(-1) as Line),
      seq: session.position() + 1,
      kind: "snapshot",
      type: "rotated",
      payload: snapshotOf(session.store.getState()),
    } as SnapshotLine;
    const log = logText(header, [...lines, snapshot, { ...(lines.at(-1) as Line), seq: snapshot.seq + 1 }]);
    const reducer = (state: Record<string, unknown> | undefined, action: UnknownAction) => {
      const { fresh = { n: 0 }, ...old } = state ?? {};
      const next = probeProgram.reducer((state ? old : undefined) as never, action);
      return { ...next, page: { ...next.page, added: true }, fresh };
    };
    const newer: AnyProgram = { ...probeProgram, reducer: reducer as never };
    expect(verdict(log, newer)).toBe("state");
    const outcome = replayText({ ...newer, shapes: { page: 2 } }, log, { reducersOnly: true });
    expect(verdict(checked, { ...newer, shapes: { page: 2 } })).toBe("same");
    expect(outcome).toMatchObject({
      status: 0,
      reducers: { warnings: [expect.stringContaining("shape has changed: page")] },
    });
  });
});

describe("rule 9, the replayer never throws into a saga", () => {
  it("is enforced: a saga that catches everything hides no divergence", async () => {
    const programOf = (purpose: string): AnyProgram => ({
      ...probeProgram,
      rootSaga: function* (): Generator {
        try {
          yield* sleep(purpose, 10);
        } catch {
          yield effects.put(actions.page.wentLive());
        }
      } as never,
    });
    const session = startSession({ program: programOf("a") as never });
    await session.time.pass(20);
    expect(verdict(session.log(), programOf("a"))).toBe("same");
    expect(verdict(session.log(), programOf("b"))).toBe("unasked-answer");
  });

  it("refuses to replay inside a live turn of its realm", async () => {
    const session = startSession();
    await settled();
    const log = session.log();
    session.store.subscribe(() => void replayText(probeProgram, log));
    session.store.dispatch(actions.page.screenOpened());
    expect(session.reported).toEqual([new Error("a replay cannot run inside a live turn: use a Worker")]);
  });
});

describe("rule 10, start of a saga replay", () => {
  it("is enforced: a log that doesn't start at a page load is for reducers only", async () => {
    const session = startSession();
    await settled();
    session.store.dispatch(actions.page.screenOpened());
    const state = session.store.getState();
    const { header, lines } = parseLog(session.log());
    const at = lines.length - 1;
    const payload = snapshotOf(state);
    const snapshot = { ...lines[at], kind: "snapshot", type: "rotated", payload } as SnapshotLine;
    const more = { ...lines[at], seq: snapshot.seq + 1 } as Line;
    const outcome = replayLog(probeProgram, { header, lines: [snapshot, more] });
    expect(outcome).toMatchObject({ status: 3, sagas: expect.stringContaining("page load") });
    expect(outcome.missing).toEqual([{ line: 2, what: expect.stringContaining("first segments were removed") }]);
    // Without that rule the sagas would restart, which the log lacks.
    expect(replaySagas(probeProgram, { header, lines: [snapshot, more] }).same).toBe(false);
  });

  it("is enforced: the sagas stop at a gap, also inside a turn, and the reducers continue after its snapshot", async () => {
    const session = startSession();
    await settled();
    session.store.dispatch(actions.page.screenOpened());
    session.store.dispatch(actions.page.screenOpened());
    const { header, lines } = parseLog(session.log());
    const payload = snapshotOf(session.store.getState());
    for (let at = 1; at < lines.length - 1; at++) {
      const truncated = lines.slice(0, at);
      const last = truncated.at(-1) as Line;
      const gap = {
        ...last,
        kind: "gap",
        type: "lost",
        seq: last.seq + 4,
        payload: { from: last.seq + 1, to: last.seq + 3, reason: "full" },
      };
      const snapshot = { ...last, kind: "snapshot", type: "resumed", seq: last.seq + 5, payload };
      const covering = { ...lines.at(-1), seq: last.seq + 6 };
      const outcome = replayLog(probeProgram, { header, lines: [...truncated, gap, snapshot, covering] as never });
      expect(outcome, `after line ${at}`).toMatchObject({ status: 3, sagas: { same: true, upTo: fileLine(at) } });
      expect(outcome.missing.map(({ line }) => line)).toEqual([fileLine(at), fileLine(at)]);
      expect(outcome.missing[0]?.what).toBe(`seq ${last.seq + 1} to ${last.seq + 3} could not be stored (full)`);
      expect(outcome.reducers.state).toEqual(session.store.getState());
    }
  });
});
