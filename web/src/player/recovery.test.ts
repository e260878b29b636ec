import { describe, expect, it } from "vitest";
import { CLEAR, type Environment, type Recovery, type RecoveryEvent, recover, waitBefore } from "./recovery";

const environment = (parts: Partial<Environment> = {}): Environment => ({
  now: 1_000,
  online: true,
  renewable: true,
  dry: false,
  drawn: 0.5,
  ...parts,
});
const failed = (fault: Extract<RecoveryEvent, { kind: "failed" }>["fault"]): RecoveryEvent => ({
  kind: "failed",
  fault,
});
const unanswered = failed({ cause: "unanswered" });
const refused = failed({ cause: "address", status: 403 });
const decoder = failed({ cause: "decoder" });

/** Returns the states and effects after each event, each at its own time. */
function run(events: readonly (readonly [RecoveryEvent, Partial<Environment>?])[]) {
  let state: Recovery = CLEAR;
  return events.map(([event, parts]) => {
    const [next, effect] = recover(state, event, environment(parts));
    state = next;
    return { ...next, effect };
  });
}

describe("a player whose stream does not come", () => {
  it("requests another address for a stream that stays missing, since the channel may have removed it", () => {
    const faults = (status: number, parts: Partial<Environment>) =>
      run(Array.from({ length: 10 }, () => [failed({ cause: "answer", status }), { dry: true, ...parts }] as const))
        .filter((state) => "by" in state && state.by !== "resume")
        .map((state) => "by" in state && state.by);
    expect(faults(404, {})).toEqual(["reload", "renew"]);
    expect(faults(404, { renewable: false })).toEqual(["reload", "reload"]);
    expect(faults(503, {})).toEqual(["reload", "reload"]);
  });

  it("says whether it waits for the network or the server, and asks again", () => {
    expect(run([[unanswered, { online: false }]])).toMatchObject([{ at: "waiting", missing: "network", effect: null }]);
    expect(run([[unanswered], [{ kind: "due" }], [{ kind: "loaded" }]])).toMatchObject([
      { at: "waiting", missing: "server", attempt: 1 },
      { at: "trying", effect: "resume" },
      { at: "clear", effect: null },
    ]);
  });

  it("never waits for a second while the outage is younger than a minute, and longer later", () => {
    for (let attempt = 1; attempt < 200; attempt += 1) {
      expect(waitBefore(attempt, 59_000, 0.999)).toBeLessThan(1_000);
      expect(waitBefore(attempt, 0, 0)).toBeGreaterThanOrEqual(100);
    }
    expect(waitBefore(80, 61_000, 1)).toBe(8_000);
  });

  it("counts its attempts from the first fault, and from none once the stream came", () => {
    const states = run([
      [unanswered, { now: 1_000 }],
      [{ kind: "due" }, { now: 1_200 }],
      [failed({ cause: "answer", status: 500 }), { now: 1_300 }],
      [{ kind: "due" }, { now: 1_700 }],
      [{ kind: "loaded" }, { now: 1_800 }],
      [unanswered, { now: 9_000 }],
    ]);
    expect(states[2]).toMatchObject({ attempt: 2, since: 1_000 });
    expect(states[5]).toMatchObject({ attempt: 1, since: 9_000 });
  });
});

describe("a player that is answered wrongly for long", () => {
  const efforts = (dry: boolean) => {
    const missing = failed({ cause: "answer", status: 404 });
    const rounds = Array.from({ length: 10 }, (): [RecoveryEvent, Partial<Environment>][] => [
      [missing, { dry }],
      [{ kind: "due" }, { dry }],
    ]);
    return run(rounds.flat()).flatMap(({ effect }) => effect ?? []);
  };

  it("asks for the whole stream now and then, since the playlist may be what is wrong", () => {
    expect(efforts(true).filter((effect) => effect !== "resume")).toEqual(["reload", "renew"]);
  });

  it("throws nothing away that can be played meanwhile", () => {
    expect(new Set(efforts(false))).toEqual(new Set(["resume"]));
  });
});

describe("a player whose address has ended", () => {
  it("gets another at once, and goes on under it", () => {
    expect(run([[refused], [{ kind: "renewed" }], [{ kind: "loaded" }]])).toMatchObject([
      { at: "trying", missing: "address", effect: "renew" },
      { at: "trying", effect: "resume" },
      { at: "clear" },
    ]);
  });

  it("waits between two when a fresh one is refused too", () => {
    expect(run([[refused], [{ kind: "renewed" }], [refused]])[2]).toMatchObject({ at: "waiting", effect: null });
  });

  it("asks again where nobody answered, and stops where the viewer may not watch, until they press", () => {
    const away = { kind: "notRenewed", retryable: true, status: null } as const;
    expect(run([[refused], [away]])[1]).toMatchObject({ at: "waiting", missing: "address", by: "renew" });
    const no = { kind: "notRenewed", retryable: false, status: 403 } as const;
    expect(run([[refused], [no], [unanswered], [{ kind: "due" }]])).toMatchObject([
      {},
      { at: "refused", status: 403 },
      { at: "refused" },
      { at: "trying", effect: "renew" },
    ]);
  });

  it("asks for the part again where there is no other address to get", () => {
    expect(run([[refused, { renewable: false }]])).toMatchObject([{ at: "waiting", by: "resume" }]);
  });
});

describe("a player whose decoder fails", () => {
  it("resets it, then loads all anew, then leaves it alone for a while", () => {
    const states = run([
      [decoder, { now: 1_000 }],
      [{ kind: "loaded" }, { now: 1_500 }],
      [decoder, { now: 2_000 }],
      [decoder, { now: 3_000 }],
      [decoder, { now: 4_000 }],
    ]);
    expect(states.map(({ effect }) => effect)).toEqual(["mend", null, "reload", "reload", null]);
    expect(states[4]).toMatchObject({ at: "waiting", missing: "picture" });
  });

  it("tries again though parts are taken that came before it failed", () => {
    const loaded: RecoveryEvent = { kind: "loaded" };
    const states = run([[decoder], [decoder], [decoder], [decoder], [loaded], [{ kind: "due" }]]);
    expect(states.slice(4)).toMatchObject([{ at: "waiting" }, { at: "trying", effect: "reload" }]);
  });

  it("has forgotten what it mended long ago", () => {
    expect(run([[decoder, { now: 1_000 }], [{ kind: "loaded" }], [decoder, { now: 40_000 }]])[2]).toMatchObject({
      effect: "mend",
    });
  });
});
