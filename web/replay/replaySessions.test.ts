import { expect, it } from "vitest";
import type { Summary } from "../src/eventlog/report";
import type { Pool } from "./pool";
import { replaySessions } from "./replaySessions";

/** Results that replays of these files had. */
const VERDICTS = {
  same: { status: 0, verdict: "same" },
  paid: {
    status: 1,
    verdict: "differs",
    kind: "diverged",
    line: 182,
    replayed: {
      reducers: null,
      builds: null,
      sagas: {
        divergence: {
          why: "different-action",
          line: 182,
          expected: { type: "purchase/orderSeen" },
          got: { type: "purchase/orderSeen" },
          slices: ["purchase"],
          changes: [{ path: "purchase.at", was: "failed", is: "paid" }],
          put: { is: "src/sagas/purchaseSteps.ts:240 (reportOrder)" },
        },
      },
    },
  },
  broken: { status: 2, verdict: "unreadable", reason: "not JSON", line: 4 },
  cut: { status: 3, verdict: "partial" },
} as const;

const sameSummary = { ...VERDICTS.same, log: null, replayed: {} } as unknown as Summary;

const scripted: Pick<Pool, "replay"> = {
  replay: async ({ file }) => ({
    text: "",
    summary: { ...VERDICTS[file as keyof typeof VERDICTS], file } as unknown as Summary,
  }),
};

async function replayed(files: readonly string[], pool: Pick<Pool, "replay"> & Partial<Pool> = scripted) {
  const render: Pool["render"] = async () => ({ unknown: "not rendered" });
  const printed: string[] = [];
  const progress: string[] = [];
  let isEnded = false;
  const status = await replaySessions(files, {
    from: "reports",
    build: "later",
    job: { folder: "/data/reports", build: "later" },
    ...(pool.render ? { screens: "screens.js" } : {}),
    print: (text) => void printed.push(text),
    progress: (text) => void progress.push(text),
    pool: {
      render,
      ...pool,
      end: () => {
        isEnded = true;
      },
    },
  });
  expect(isEnded).toBe(true);
  return { status, printed: printed.join("\n"), progress };
}

it("sessions that differ by one fault are one entry, with their number and the first of them", async () => {
  const { status, printed, progress } = await replayed(["same", "paid", "paid", "cut"]);
  expect(status).toBe(1);
  expect(progress).toEqual(["1 of 4", "2 of 4", "3 of 4", "4 of 4"]);
  expect(
    printed.replace(/in \d+ s/, "in 1 s"),
  ).toBe(`4 sessions replayed by later in 1 s: 1 same, 2 differ, 1 partial, 0 unreadable

2 sessions: the sagas dispatched another action: purchase/orderSeen
  values: purchase.at
  put at src/sagas/purchaseSteps.ts:240 (reportOrder)
  first: reports/paid:182: purchase.at: was "failed", is "paid"`);
});

it("sessions whose screens differ by one fault are one entry, with the screens and the texts", async () => {
  const points = [3, 8, 9].map((line) => ({ line, key: `state ${line}`, screen: "/watch/*" }));
  const change = { path: "text buy.buyFor", was: "Buy for $7.99", is: "Buy for $79.90" };
  const rendered: number[] = [];
  const { status, printed } = await replayed(["one", "two"], {
    replay: async ({ file }) => ({
      text: "",
      summary: { ...sameSummary, file },
      points: file === "one" ? points : points.slice(1),
    }),
    render: async ({ lines }) => {
      rendered.push(...lines);
      return { differences: [{ line: 8, changes: [change] }], rendered: 2, pressed: 1 };
    },
  });
  expect(status).toBe(1);
  // A state that two sessions reach is rendered once.
  expect(rendered).toEqual([3, 8, 9]);
  expect(printed).toMatch(
    /^screens: 5 presses and checkpoints, 3 distinct states, 2 rendered by both builds and 1 presses repeated in \d+ s$/m,
  );
  expect(printed).toContain(`2 sessions: the screens of the two builds say different things
  screens: /watch/*
  values: text buy.buyFor
  first: reports/one:8: text buy.buyFor: was "Buy for $7.99", is "Buy for $79.90"`);
});

it("the exit status is 0 without a difference, 2 with an unreadable file, and 1 before that with a difference", async () => {
  expect((await replayed(["same", "cut"])).status).toBe(0);
  const { status, printed } = await replayed(["same", "broken"]);
  expect(status).toBe(2);
  expect(printed).toContain("1 session: unreadable: not JSON\n  first: reports/broken:4");
  expect((await replayed(["broken", "paid"])).status).toBe(1);
});
