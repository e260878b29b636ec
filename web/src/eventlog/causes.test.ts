import { put, type SagaGenerator, take } from "typed-redux-saga";
import { describe, expect, it } from "vitest";
import { callPort } from "../ports/world";
import { groupByCause } from "./causes";
import { parseLog } from "./parse";
import { replayLog } from "./replay";
import { type Summary, summary } from "./report";
import { actions, probeProgram } from "./testing/probe-program";
import { startSession } from "./testing/session";
import { settled } from "./testing/virtual-time";

const { order, page, search } = actions;

type Step = () => SagaGenerator<void>;
const placed: Step = function* () {
  yield* put(order.placed({ key: "k1" }));
};
const popup: Step = function* () {
  yield* put(page.popupShown());
};
const began: Step = function* () {
  yield* put(search.began());
};
const calls: Step = function* () {
  yield* callPort("api.getOrder", { id: 1 });
};

/** Takes these steps after a press, and others after another press. */
const programThat = (first: readonly Step[], second: readonly Step[] = []) => ({
  ...probeProgram,
  *rootSaga(): SagaGenerator<void> {
    for (const steps of [first, second]) {
      yield* take(order.payPressed.type);
      for (const step of steps) yield* step();
    }
  },
});

async function sessionOf(program: typeof probeProgram, presses = 1) {
  const session = startSession({ program, answer: () => ({ id: 1 }) });
  await settled();
  for (let press = 0; press < presses; press++) session.store.dispatch(order.payPressed());
  await session.time.pass(100);
  return session.log();
}

/** The differences of a session of one program, replayed by another. */
async function replayed(file: string, recording: typeof probeProgram, today: typeof probeProgram, presses = 1) {
  const log = parseLog(await sessionOf(recording, presses));
  return summary(file, replayLog(today, log, { earlier: { program: recording } }));
}

describe("the cause of a difference", () => {
  it("is the missing action, not the one that took its place", async () => {
    const summaries = [
      await replayed("a", programThat([placed, began, popup]), programThat([placed, popup])),
      await replayed("b", programThat([placed, began]), programThat([placed])),
    ];
    expect(groupByCause(summaries)).toEqual([
      {
        title: "the sagas did not dispatch an action of the log",
        what: ["search/began"],
        paths: ["search.busy", "search.searches"],
        puts: [],
        displaced: undefined,
        count: 2,
        example: expect.stringMatching(/^a:\d+: search\.busy: was true, is false$/),
      },
    ]);
  });

  it("is the extra action, not the one that came behind it", async () => {
    const summaries = [
      await replayed("a", programThat([placed, popup]), programThat([placed, began, popup])),
      await replayed("b", programThat([placed]), programThat([began, placed])),
    ];
    expect(groupByCause(summaries)).toMatchObject([
      { title: expect.stringContaining("an action that the log does not have"), what: ["search/began"], count: 2 },
    ]);
  });

  it("is the call that was made no more, whether its answer or a checkpoint shows it", async () => {
    const recording = programThat([calls]);
    const answered = await replayed("a", recording, programThat([]));
    const session = startSession({
      program: recording,
      checkpointEvery: 1,
      answer: () => new Promise(() => undefined),
    });
    await settled();
    session.store.dispatch(order.payPressed());
    const open = summary("b", replayLog(programThat([]), parseLog(session.log())));
    expect([answered, open].map(({ replayed: { sagas } }) => sagas?.divergence?.why)).toEqual([
      "unasked-answer",
      "state",
    ]);
    expect(groupByCause([answered, open])).toMatchObject([{ what: ["api.getOrder"], count: 2 }]);
  });

  it("is the action that came where the log has an answer", async () => {
    const early = await replayed("a", programThat([calls, popup]), programThat([popup, calls]));
    expect(groupByCause([early])).toMatchObject([{ what: ["page/popupShown"], paths: ["page.popup"] }]);
  });

  it("is not shared by actions that change nothing in common", async () => {
    const other: Step = function* () {
      yield* put(order.placed({ key: "k2" }));
    };
    const summaries = [
      await replayed("a", programThat([placed]), programThat([])),
      await replayed("b", programThat([popup]), programThat([])),
      await replayed("c", programThat([placed]), programThat([other])),
    ];
    expect(groupByCause(summaries).map(({ what, paths }) => [what, paths])).toEqual([
      [["order/placed"], ["order.at", "order.key"]],
      [["page/popupShown"], ["page.popup"]],
      [["order/placed"], ["order.key"]],
    ]);
  });
});

/** A session whose recorded action isn't dispatched as before. */
const displacedBy = (file: string, type: string, was: string): Summary =>
  ({
    file,
    status: 1,
    kind: "diverged",
    line: 7,
    replayed: {
      reducers: null,
      builds: null,
      sagas: {
        divergence: {
          why: "different-action",
          line: 7,
          expected: { type: "outbox/drained" },
          got: { type },
          slices: [],
          changes: [],
          fault: { why: "extra-action", type },
          put: { was },
        },
      },
    },
  }) as unknown as Summary;

it("actions that come instead of one recorded put have one cause", () => {
  const groups = groupByCause([
    displacedBy("a", "outbox/drainBegan", "src/sagas/outbox.ts:169 (drain)"),
    displacedBy("b", "outbox/gaveUp", "src/sagas/outbox.ts:169 (drain)"),
    displacedBy("c", "clip/began", "src/sagas/clip.ts:9 (clipSaga)"),
  ]);
  expect(groups).toMatchObject([
    { what: ["outbox/drainBegan", "outbox/gaveUp"], count: 2, example: "a:7" },
    { what: ["clip/began"], count: 1 },
  ]);
});

it("an unreadable and an edited log are told apart from differences, and a session that is the same from all", () => {
  const of = (status: 0 | 1 | 2 | 3, kind: "tampered" | null, reason: string | null) =>
    ({ file: "x", status, kind, reason, line: null }) as unknown as Summary;
  expect(
    groupByCause([of(0, null, null), of(3, null, null), of(2, null, "not JSON"), of(1, "tampered", null)]),
  ).toEqual([
    { title: "unreadable", what: ["not JSON"], paths: [], puts: [], count: 1, example: "x" },
    { title: "the log was edited", what: [], paths: [], puts: [], count: 1, example: "x" },
  ]);
});
