import { expect, it } from "vitest";
import type { Summary } from "../src/eventlog/report";
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

async function replayed(...files: readonly (keyof typeof VERDICTS)[]) {
  const printed: string[] = [];
  const progress: string[] = [];
  let isEnded = false;
  const status = await replaySessions(files, {
    from: "reports",
    build: "later",
    job: { folder: "/data/reports", build: "later" },
    print: (text) => void printed.push(text),
    progress: (text) => void progress.push(text),
    replayer: {
      replay: async ({ file }) => ({
        text: "",
        summary: VERDICTS[file as keyof typeof VERDICTS] as unknown as Summary,
      }),
      end: () => {
        isEnded = true;
      },
    },
  });
  expect(isEnded).toBe(true);
  return { status, printed: printed.join("\n"), progress };
}

it("sessions that differ by one fault are one entry, with their number and the first of them", async () => {
  const { status, printed, progress } = await replayed("same", "paid", "paid", "cut");
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

it("the exit status is 0 without a difference, 2 with an unreadable file, and 1 before that with a difference", async () => {
  expect((await replayed("same", "cut")).status).toBe(0);
  const { status, printed } = await replayed("same", "broken");
  expect(status).toBe(2);
  expect(printed).toContain("1 session: unreadable: not JSON\n  first: reports/broken:4");
  expect((await replayed("broken", "paid")).status).toBe(1);
});
