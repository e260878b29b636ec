import { describe, expect, it } from "vitest";
import { committedLog as read, record } from "../../replay/testing/recordings";
import type { Line } from "../eventlog/envelope";
import { stateHash } from "../eventlog/hash";
import { turnAt } from "../eventlog/rerun";
import { onAbsentMove, step } from "../machines/machine";
import { purchase } from "../machines/purchase";
import { program } from "../sagas/program";
import { clockAt, clockText, layAxis, positionAt, ticks } from "./axis";
import { changesBetween, countChanges } from "./changes";
import { firstDifference } from "./comparison";
import { frameSize, isWide } from "./frameSize";
import { arrivals, layOutLanes } from "./lanes";
import { crashesAt, divergences, type Finding, positionOf } from "./outcome";
import { isReplayFrame } from "./paths";
import { problemsOf } from "./problems";
import { lineAt, lineNumber, openRecording, type Recording, stateAt } from "./recording";
import { createReplayedStore } from "./replayedStore";
import { isFound, matchCount, nextOf, previousOf } from "./search";
import { caseName, testCase } from "./testCase";

const open = (name: string) => openRecording(program, `${name}.jsonl`, read(name));

describe("a recording", () => {
  const recording = open("purchase-paid");

  it("has the state of every line, and the ends for what is past them", () => {
    const { states, log } = recording;
    expect(states).toHaveLength(log.lines.length + 1);
    expect(states[0]?.startup.at).toBe("idle");
    expect(stateAt(recording, 10_000)).toBe(states.at(-1));
    expect(stateAt(recording, -1)).toBe(states[0]);
    expect(states.at(-1)?.purchase.at).toBe("succeeded");
    expect(lineAt(recording, 0)).toBeUndefined();
    expect(lineAt(recording, 1)?.seq).toBe(1);
  });

  it("starts from the snapshot of a page that was loaded anew", async () => {
    const reloaded = openRecording(program, "reloaded.jsonl", await record("purchase-reloaded"));
    expect(stateAt(reloaded, 0).purchase.at).toBe("preparing");
    expect(stateAt(reloaded, 1).purchase.at).toBe("submitting");
  });

  it("tells the page's own reporter nothing of what machines meet in a file that was edited", () => {
    const [header, ...rest] = read("purchase-paid").split("\n");
    const edited = [header, ...rest.filter((line) => !line.includes('"type":"startup/began"'))].join("\n");
    const messages: string[] = [];
    onAbsentMove(({ message }) => messages.push(message));
    try {
      openRecording(program, "edited.jsonl", edited);
      expect(messages).toEqual([]);
      // The reporter is restored, even if the file couldn't be opened.
      expect(() => openRecording(program, "x", "{}")).toThrow();
      step(purchase, purchase.initial, "confirmed", { key: "k1" });
      expect(messages).toHaveLength(1);
    } finally {
      onAbsentMove(null);
    }
  });

  it("is refused with the line that is wrong", () => {
    expect(() => openRecording(program, "x", "{}")).toThrow("line 1");
    expect(() => openRecording(program, "x", `${read("purchase-paid").split("\n")[0]}\n{`)).toThrow("line 2: not JSON");
  });
});

describe("the axis", () => {
  const line = (mono: number): Line => ({
    seq: 1,
    at: 0,
    mono,
    kind: "action",
    origin: "ui",
    type: "x",
    type_version: 1,
    payload: null,
  });
  const lines = [0, 500, 500, 120_500, 121_000].map(line);

  it("lays positions out in time, and lets idle time count for little where it is skipped", () => {
    expect(layAxis(lines, false).at).toEqual([0, 0, 500, 500, 120_500, 121_000]);
    expect(layAxis(lines, true).at).toEqual([0, 0, 500, 500, 3_500, 4_000]);
  });

  it("tells the page's clock, also where idle time is skipped", () => {
    for (const skipIdle of [false, true]) {
      const axis = layAxis(lines, skipIdle);
      expect(axis.clock).toEqual([0, 0, 500, 500, 120_500, 121_000]);
      expect(axis.at.map((moment, position) => clockAt(axis, moment) - (axis.clock[position] ?? 0))).toEqual(
        Array(6).fill(0),
      );
    }
    expect(clockAt(layAxis(lines, true), 1_500)).toBe(1_500);
    expect(clockAt(layAxis(lines, true), 3_700)).toBe(120_700);
    const later = layAxis([line(60_000), line(61_000)], false);
    expect([later.at, later.clock, clockAt(later, 500)]).toEqual([[0, 0, 1_000], [60_000, 60_000, 61_000], 60_500]);
  });

  it("finds the last position at or before a moment", () => {
    const axis = layAxis(lines, false);
    expect([-5, 0, 499, 500, 120_499, 1e9].map((moment) => positionAt(axis, moment))).toEqual([0, 1, 1, 3, 3, 5]);
  });

  it("has a handful of round ticks, whatever the length", () => {
    for (const length of [1, 900, 61_000, 630_000, 86_400_000, 1e10]) {
      const marks = ticks({ length });
      expect(marks.length, `${length}`).toBeLessThanOrEqual(11);
      expect(marks[0]).toBe(0);
    }
    expect(ticks({ length: 630_000 })[1]).toBe(120_000);
  });

  it("tells the clock as people read it", () => {
    expect([0, 8_414, 368_414, 3_600_000].map((ms) => clockText(ms))).toEqual([
      "0:00.0",
      "0:08.4",
      "6:08.4",
      "1:00:00.0",
    ]);
  });
});

describe("the lanes", () => {
  it("show each machine's states one behind the other, without a hole where it had one", () => {
    const recording = open("purchase-declined");
    const lanes = new Map(layOutLanes(recording).map(({ name, spans }) => [name, spans]));
    expect(lanes.get("startup")?.map(({ at }) => at)).toEqual(["idle", "channelKey", "apiKey", "loading", "ready"]);
    expect(lanes.get("purchase")?.map(({ at, tone }) => [at, tone])).toEqual([
      ["submitting", "plain"],
      ["processing", "plain"],
      ["failed", "bad"],
      ["submitting", "plain"],
      ["processing", "plain"],
      ["succeeded", "good"],
    ]);
    const spans = lanes.get("startup") ?? [];
    for (const [index, span] of spans.entries()) expect(span.from).toBe(spans[index - 1]?.to ?? 0);
    expect(spans.at(-1)?.to).toBe(recording.states.length);
  });

  it("tell what came in, and what a filter means", () => {
    const { log } = open("purchase-paid");
    const came = arrivals(log.lines);
    expect(came.every(({ position, origin }) => log.lines[position - 1]?.origin === origin)).toBe(true);
    expect(came.filter(({ type }) => type === "connection/statusReceived")).toHaveLength(1);
    const meant = (filter: string) => log.lines.filter((line) => isFound(line, filter)).map(({ type }) => type);
    expect(meant("effect api.BUY")).toEqual(["api.buy"]);
    expect(meant("action sync")).toEqual(["connection/statusReceived"]);
    expect(meant("")).toHaveLength(log.lines.length);
  });

  it("have what a search looks for in their payloads: orders, pages, texts, but no whole state", async () => {
    const { log } = open("purchase-declined");
    const found = (search: string) => log.lines.filter((line) => isFound(line, search)).map(({ type }) => type);
    expect(found("90401")).toContain("purchase/accepted");
    expect(found("card was DECLINED")).toContain("purchase/orderSeen");
    expect(found("/login").length).toBeGreaterThan(0);
    expect(found("90401 nothing-of-this")).toEqual([]);
    const reloaded = openRecording(program, "reloaded.jsonl", await record("purchase-reloaded"));
    expect(reloaded.log.lines[0]?.kind).toBe("snapshot");
    expect(isFound(reloaded.log.lines[0] as Line, "submitting")).toBe(false);
  });

  it("are gone through in order, and again from the start", () => {
    expect([matchCount(0), matchCount(1), matchCount(5)]).toEqual(["no matches", "1 match", "5 matches"]);
    expect([nextOf([2, 5], 2), nextOf([2, 5], 5), nextOf([], 1)]).toEqual([5, 2, undefined]);
    expect([previousOf([2, 5], 5), previousOf([2, 5], 2), previousOf([], 1)]).toEqual([2, 5, undefined]);
  });
});

describe("the problems of a session", () => {
  const problems = (recording: Recording, crashes: Parameters<typeof problemsOf>[2] = []) =>
    problemsOf(recording.log.lines, layOutLanes(recording), crashes).map(({ position, title }) => [
      lineAt(recording, position)?.type,
      title,
    ]);

  it("are refusals, errors and failed states, each turn's once", async () => {
    expect(problems(open("purchase-paid"))).toEqual([]);
    expect(problems(open("purchase-declined"))).toEqual([
      ["checkout/couponRefused", "api.applyCoupon: wrong_promo_code, checkout/couponRefused"],
      ["purchase/orderSeen", "purchase failed"],
    ]);
    const clip = problems(open("clip-fails"));
    expect(clip.map(([, title]) => title).join("\n")).toMatch(/clip failed/);
    const fails = openRecording(program, "key.jsonl", await record("startup-key-fails"));
    expect(problems(fails)[0]).toEqual([
      "startup/keyFailed",
      expect.stringMatching(/: .*, startup keyFailed|keyFailed/),
    ]);
  });

  it("are what a turn threw in the replay", () => {
    const recording = open("purchase-paid");
    expect(problems(recording, [{ line: 20, message: "Error: no", stack: "" }])).toEqual([
      [recording.log.lines[18]?.type, "Error: no"],
    ]);
  });
});

describe("the changes of a step", () => {
  it("are told field by field, what it was before what it is", () => {
    const slices = changesBetween(
      { a: { at: "x", n: 1, same: { deep: [1] } }, b: [1], c: null },
      { a: { at: "y", n: 1, same: { deep: [1] }, fresh: true }, b: [1], c: null },
    );
    expect(slices.map(({ name, isChanged, summary }) => [name, isChanged, summary])).toEqual([
      ["a", true, "y"],
      ["b", false, "1 item"],
      ["c", false, "null"],
    ]);
    expect(slices[0]?.lines.map(({ mark, name, text }) => `${mark}${name} ${text}`)).toEqual([
      '-at "x"',
      '+at "y"',
      "n 1",
      'same {"deep":[1]}',
      "+fresh true",
    ]);
    expect(countChanges(slices)).toBe(2);
  });

  it("leave out most of what stayed", () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f${index}`, index]));
    const [slice] = changesBetween({ s: many }, { s: { ...many, f3: -1 } });
    expect(slice?.lines).toHaveLength(11);
    expect(slice?.lines.at(-1)?.text).toBe("31 more that stayed");
  });
});

it("two recordings part at the first actions of different types, or where the shorter one ends", () => {
  const [paid, declined] = [open("purchase-paid"), open("purchase-declined")];
  const parting = firstDifference(paid, declined);
  const types = [lineAt(paid, parting?.one ?? 0), lineAt(declined, parting?.other ?? 0)].map((one) => one?.type);
  expect(new Set(types).size).toBe(2);
  expect(firstDifference(paid, { ...paid })).toBeUndefined();
  const half = paid.log.lines.slice(0, 100);
  const shorter = { ...paid, log: { ...paid.log, lines: half } };
  const next = paid.log.lines.findIndex(({ kind }, index) => index >= 100 && kind === "action") + 1;
  expect(firstDifference(shorter, paid)).toEqual({ one: 100, other: next });
});

describe("the case of a session", () => {
  const recording = open("purchase-declined");
  const failed = recording.log.lines.findIndex(
    ({ type, payload }) => type === "purchase/orderSeen" && JSON.stringify(payload).includes("declined"),
  );

  // The case's assertions on the state.
  const expected = (text: string) => text.split("\n").filter((one) => /^ {2}expect\((stateHash\()?state/.test(one));

  it("expects the slices that the step changed, from the real sagas", () => {
    const text = testCase(recording, failed + 1);
    expect(text).toContain("fixtures/logs/reported/purchase-declined.jsonl");
    expect(text).toContain(`line ${failed + 2}, purchase/orderSeen`);
    expect(text).toContain('"message": "Your card was declined."');
    expect(text).toContain(`rerun(program, log, ${failed + 2})`);
    expect(text).not.toContain("catalogue");
  });

  it("expects of a step that changes nothing what its turn changed", () => {
    const answered = recording.log.lines.findIndex(({ type }) => type === "api.buy") + 1;
    expect(stateAt(recording, answered)).toBe(stateAt(recording, answered - 1));
    expect(expected(testCase(recording, answered))).toEqual([
      "  expect(state.orders, seen).toEqual({",
      "  expect(state.purchase, seen).toEqual({",
    ]);
  });

  it("has nothing of the file in it but as data", () => {
    const type = '${process.exit(7)}`"); process.exit(7); ("';
    const lines = recording.log.lines.map((line, index) => (index === 3 ? ({ ...line, type } as typeof line) : line));
    const text = testCase({ ...recording, log: { ...recording.log, lines } }, 4);
    expect(text).toContain(JSON.stringify(`purchase-declined reaches the expected state at line 5, ${type}`));
  });

  it("expects something at every step, and something that another state does not meet", () => {
    for (let position = 0; position < recording.states.length; position++) {
      const text = testCase(recording, position);
      expect(expected(text).length, `line ${lineNumber(position)}`).toBeGreaterThan(0);
      // `toMatchObject({})` matches every state, and `toEqual({})` none with fields.
      expect(text).not.toContain("toMatchObject");
    }
  });

  it("expects the hash of the whole state where a turn changed nothing, and of a slice that is long", () => {
    const { lines } = recording.log;
    const still = recording.states.findIndex((state, position) => {
      const { from, to } = turnAt(lines, position);
      return from > 0 && state === stateAt(recording, from) && state === stateAt(recording, to);
    });
    const hash = stateHash(stateAt(recording, still));
    expect(testCase(recording, still)).toContain(`expect(stateHash(state), seen).toBe("${hash}");`);
    const loaded = recording.states.findIndex(({ catalogue }) => JSON.stringify(catalogue).length > 2_000);
    const { catalogue } = stateAt(recording, loaded);
    expect(testCase(recording, loaded)).toContain(
      `expect(stateHash(state.catalogue), seen).toBe("${stateHash(catalogue)}");`,
    );
  });

  it("has a name that can be a file's", () => {
    expect(caseName("Touchline 21/11 (é).jsonl")).toBe("touchline-21-11");
    expect(caseName("../../x.jsonl")).toBe("x");
    expect(caseName(".jsonl")).toBe("session");
  });
});

it("a replayed store shows states and swallows what screens dispatch", () => {
  const recording = open("purchase-paid");
  const { store, show } = createReplayedStore(stateAt(recording, 0));
  let updates = 0;
  const stop = store.subscribe(() => {
    updates += 1;
  });
  store.dispatch({ type: "purchase/submitPressed", payload: { choice: { kind: "event", id: 1 } } });
  expect([store.getState(), updates]).toEqual([stateAt(recording, 0), 0]);
  show(stateAt(recording, 50));
  expect([store.getState(), updates]).toEqual([stateAt(recording, 50), 1]);
  stop();
  show(stateAt(recording, 51));
  expect(updates).toBe(1);
});

it("the divergences are both replays', each place once, in order", () => {
  const finding = (line: number | null): Finding => ({
    hash: "0",
    same: line === null,
    actions: 0,
    warnings: [],
    crashes: [],
    divergence:
      line === null ? null : { why: "state", line, expected: 0, got: 0, open: [], before: [], slices: [], changes: [] },
  });
  const found = (reducers: number | null, sagas: number | null | string) =>
    divergences({
      kind: null,
      missing: [],
      reducers: finding(reducers),
      sagas: typeof sagas === "string" ? sagas : finding(sagas),
    }).map(positionOf);
  expect(found(9, 4)).toEqual([3, 8]);
  expect(found(4, 4)).toEqual([3]);
  expect(found(4, "left out")).toEqual([3]);
  expect(found(null, null)).toEqual([]);
});

it("what a turn threw is told at its line, once where both replays threw it", () => {
  const crash = (line: number, message: string) => ({ line, message, stack: `${message} at x.ts:1` });
  const finding = (...crashes: ReturnType<typeof crash>[]): Finding => ({
    hash: "0",
    same: true,
    actions: 0,
    warnings: [],
    crashes,
    divergence: null,
  });
  const findings = {
    kind: null,
    missing: [],
    reducers: finding(crash(4, "one"), crash(9, "two")),
    sagas: finding(crash(4, "one"), crash(4, "three")),
  };
  expect(crashesAt(findings, 4).map(({ message }) => message)).toEqual(["one", "three"]);
  expect(crashesAt({ ...findings, sagas: "left out" }, 9)).toEqual([crash(9, "two")]);
  expect(crashesAt(null, 4)).toEqual([]);
});

it("the viewer's screen has the recorded size of the window, or a phone's", () => {
  expect([frameSize([1280, 720]), frameSize(undefined)]).toEqual([
    [1280, 720],
    [390, 844],
  ]);
  expect(frameSize([0, 1e9])).toEqual([200, 4_000]);
  expect([isWide([1280, 720]), isWide([720, 1280]), isWide(undefined)]).toEqual([true, false, false]);
});

it("only a frame at the replayer's own address is the replay frame", () => {
  const at = (pathname: string, hash: string, framed: boolean) => {
    const self = { location: { pathname, hash } } as unknown as Window & typeof globalThis;
    return isReplayFrame(Object.assign(self, { self, parent: framed ? {} : self }) as never);
  };
  expect(at("/simulate", "#replay-frame", true)).toBe(true);
  expect(at("/simulate", "#replay-frame", false)).toBe(false);
  expect(at("/", "#replay-frame", true)).toBe(false);
  expect(at("/simulate", "", true)).toBe(false);
});
