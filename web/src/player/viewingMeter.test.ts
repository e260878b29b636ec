import { expect, it } from "vitest";
import type { ViewingReport } from "../contracts/viewing";
import type { PlayerEvent } from "./playback";
import { createViewingMeter } from "./viewingMeter";

const at = (kind: "firstFrame" | "played" | "paused" | "stalled" | "stallEnded" | "ended"): PlayerEvent => ({
  kind,
  time: 0,
});

function measured() {
  let now = 1_000;
  const reports: ViewingReport[] = [];
  const meter = createViewingMeter({
    clock: () => now,
    pressedAt: 700,
    report: (report) => reports.push(report),
    spot: 100,
  });
  meter.take({ kind: "opened", time: 0, host: "edge.example" });
  meter.take({ kind: "progressed", time: 0, duration: 0, dropped: 3, behind: 4.2 });
  const after = (ms: number, event: PlayerEvent) => {
    now += ms;
    meter.take(event);
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return { meter, after, pass, reports, last: () => reports.at(-1) as ViewingReport };
}

it("counts from the press to the first frame, and what was watched and waited for apart from pauses", () => {
  const { after, last, reports } = measured();
  after(200, at("firstFrame"));
  after(0, { kind: "qualityChanged", time: 0, height: 360, bitrate: 800_000 });
  after(4_000, at("stalled"));
  after(900, at("stallEnded"));
  after(1_000, at("paused"));
  after(60_000, at("played"));
  after(0, { kind: "qualityChanged", time: 0, height: 720, bitrate: 3_200_000 });
  after(5_000, at("ended"));
  expect(last()).toEqual({
    sn: 7,
    e: "ps",
    sta: "e",
    keys: {
      v: 2,
      msd: 500,
      bsa: [1],
      bsda: [900],
      "com.touchline-watched": 10_000,
      "com.touchline-shown": "360:800:5000 720:3200:5000",
      dfa: 3,
      ltc: 4_200,
      cdn: "edge.example",
      "com.touchline-spot": 100,
    },
  });
  expect(reports.map(({ sn }) => sn)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

it("tells the time while it plays or waits, so that a tab that is killed loses no more than that", () => {
  const { meter, after, pass, last } = measured();
  after(0, at("firstFrame"));
  pass(30_000);
  meter.tick();
  expect(last()).toMatchObject({ e: "t", sta: "p", keys: { "com.touchline-watched": 30_000 } });
  after(0, at("paused"));
  const before = last();
  pass(30_000);
  meter.tick();
  expect(last()).toBe(before);
});

it("says once that the viewer left, and not after the end", () => {
  const { meter, after, last, reports } = measured();
  after(100, at("firstFrame"));
  meter.leave();
  expect(last().sta).toBe("q");
  const ended = measured();
  ended.after(100, at("firstFrame"));
  ended.after(100, at("ended"));
  ended.meter.leave();
  expect(ended.last().sta).toBe("e");
  expect(reports.filter(({ sta }) => sta === "q")).toHaveLength(1);
});

it("tells an error with its code, and no more of them than a broken stream is worth", () => {
  const { after, last, reports } = measured();
  after(0, at("firstFrame"));
  for (let n = 0; n < 100; n++) after(10, { kind: "faulted", time: 0, cause: "answer", status: 404 });
  expect(last().keys.ec).toEqual(["answer_404"]);
  expect(reports.filter(({ e }) => e === "e")).toHaveLength(20);
});

it("does not count what stood before the first frame as waiting", () => {
  const { after, last } = measured();
  after(5_000, at("firstFrame"));
  expect(last().keys).toMatchObject({ msd: 5_300, bsa: [0], bsda: [0] });
});
