import { describe, expect, it } from "vitest";
import type { ActionLine, EffectLine } from "./envelope";
import { modernised } from "./folding";
import type { Program } from "./live";
import { parseLog } from "./parse";
import { recoverState } from "./recovery";
import { replayText } from "./replay";
import { logText } from "./testing/logText";
import { actions, type ProbeState, probeProgram } from "./testing/probe-program";
import { startSession } from "./testing/session";
import { settled } from "./testing/virtual-time";
import { upcast, upcastCarried } from "./upcasters";
import { type History, versionOf } from "./versions";

const history: History = {
  upcasters: {
    "search/typed": [
      (payload) => ({ text: (payload as { q: string }).q }),
      (payload) => ({ title: (payload as { text: string }).text }),
    ],
    "api.searchVod": [(answer) => ({ data: answer })],
  },
  carriers: { "tabs/factsHeard": "facts" },
};
const line = { seq: 1, at: 0, mono: 0, origin: "ui" } as const;

describe("upcasters", () => {
  it("convert step by step from the written version to this build's", () => {
    const typed = { ...line, kind: "action", type: "search/typed" } as const;
    const now = { type_version: 3, payload: { title: "cup" } };
    expect(upcast(history, { ...typed, type_version: 1, payload: { q: "cup" } })).toMatchObject(now);
    expect(upcast(history, { ...typed, type_version: 2, payload: { text: "cup" } })).toMatchObject(now);
    expect(upcast(history, { ...typed, ...now })).toMatchObject(now);
    expect(versionOf(history, "search/typed")).toBe(3);
    expect(versionOf(history, "search/found")).toBe(1);
  });

  it("change a port's answers, and leave its failures", () => {
    const call = "api.searchVod:cup,0#1";
    const answer = { ...line, kind: "effect", type: "api.searchVod", type_version: 1, call } as const;
    expect(upcast(history, { ...answer, payload: { ok: [1], args: "0" } })).toMatchObject({
      type_version: 2,
      payload: { ok: { data: [1] }, args: "0" },
    });
    const failed = { ...answer, payload: { err: { code: "network", message: "away" } } };
    expect(upcast(history, failed)).toEqual({ ...failed, type_version: 2 });
  });

  it("reach facts from other tabs, each from its own version", () => {
    const facts = [
      { type: "search/typed", payload: { q: "cup" } },
      { type: "search/typed", type_version: 2, payload: { text: "final" } },
      { type: "page/screenOpened" },
    ];
    const factsLine = {
      ...line,
      kind: "action",
      type: "tabs/factsHeard",
      type_version: 1,
      payload: { facts },
    } as const;
    expect(upcast(history, factsLine)).toEqual({
      ...factsLine,
      payload: {
        facts: [
          { type: "search/typed", type_version: 3, payload: { title: "cup" } },
          { type: "search/typed", type_version: 3, payload: { title: "final" } },
          { type: "page/screenOpened" },
        ],
      },
    });
    expect(upcastCarried(history, facts[0] as never)).toMatchObject({ type_version: 3, payload: { title: "cup" } });
    const none = { ...factsLine, payload: null };
    expect(upcast(history, none)).toBe(none);
  });

  it("make a log of an older build replayable, sagas included, and recoverable", async () => {
    const program: Program<ProbeState> = { ...probeProgram, ...history };
    const session = startSession({ program, answer: () => ({ data: [1] }) });
    await settled();
    session.store.dispatch(actions.search.typed({ title: "cup" }));
    await session.time.pass(1000);
    const { header, lines } = parseLog(session.log());
    expect(lines.find(({ type }) => type === "search/typed")?.type_version).toBe(3);

    const older = lines.map((recorded) => {
      if (recorded.type === "search/typed")
        return { ...recorded, type_version: 1, payload: { q: "cup" } } as ActionLine;
      if (recorded.type !== "api.searchVod") return recorded;
      return { ...recorded, type_version: 1, payload: { ok: [1] } } as EffectLine;
    });
    const text = logText(header, older);
    expect(replayText(program, text).status).toBe(0);
    expect(replayText(probeProgram, text).status).toBe(1);
    expect(recoverState(program, parseLog(text)).state).toEqual(session.store.getState());
  });

  it("warn of a fact from a tab of a newer build", () => {
    const facts = [{ type: "search/typed", type_version: 4, payload: {} }];
    const factsLine = {
      ...line,
      kind: "action",
      type: "tabs/factsHeard",
      type_version: 1,
      payload: { facts },
    } as const;
    const header = { format: "touchline-log", v: 2, build: "b", channel: "c", locale: "en", started_at: 0 } as const;
    const { warnings } = modernised(
      { ...probeProgram, ...history },
      {
        header: { ...header, snapshot: null },
        lines: [factsLine],
      },
    );
    expect(warnings).toEqual(["line 2: search/typed has version 4, newer than this build"]);
  });

  it("warn of lines from a newer build", async () => {
    const session = startSession();
    await settled();
    session.store.dispatch(actions.page.screenOpened());
    const { header, lines } = parseLog(session.log());
    const newer = lines.map((one) => (one.type === "page/screenOpened" ? { ...one, type_version: 4 } : one));
    expect(replayText(probeProgram, logText(header, newer))).toMatchObject({
      status: 0,
      reducers: {
        warnings: [expect.stringContaining("page/screenOpened has version 4, newer than this build")],
      },
    });
  });
});
