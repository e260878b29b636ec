// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bench, ok } from "../api/testing/channel";
import { onAbsentMove, step } from "../machines/machine";
import { purchase } from "../machines/purchase";
import { openWorld, type TestWorld } from "../sagas/testing/world";
import { supervisorActions } from "../slices/supervisor";
import { collectDefects, type Defect } from "./errorReporting";

let reported: string[] = [];
let world: TestWorld;

beforeEach(async () => {
  reported = [];
  world = await openWorld();
  const defects = collectDefects(({ message }: Defect) => reported.push(message));
  defects.watch({ subscribe: (listener) => void world.store().subscribe(listener), state: world.state });
});
afterEach(() => onAbsentMove(null));

const crash = (saga: string, message: string) => world.ui(supervisorActions.sagaCrashed({ saga, message }));

describe("a defect of the site", () => {
  it("is reported once when a process crashes, and again when it crashes differently", () => {
    crash("clip", "broken");
    expect(reported).toEqual(["clip crashed: broken"]);
    crash("clip", "broken");
    crash("purchase", "broken");
    crash("clip", "torn");
    expect(reported).toEqual(["clip crashed: broken", "purchase crashed: broken", "clip crashed: torn"]);
  });

  it("is reported if a process crashed before anybody watched", () => {
    crash("clip", "broken");
    const late: string[] = [];
    collectDefects(({ message }) => late.push(message)).watch({ subscribe: () => undefined, state: world.state });
    expect(late).toEqual(["clip crashed: broken"]);
  });

  it("is reported once when a machine met an unexpected fact", () => {
    step(purchase, purchase.initial, "confirmed", { key: "k1" });
    step(purchase, purchase.initial, "confirmed", { key: "k1" });
    step(purchase, purchase.initial, "pollRested", { key: "k1" });
    expect(reported).toEqual([
      "purchase: no move from preparing on confirmed",
      "purchase: no move from preparing on pollRested",
    ]);
  });
});

it("a defect reaches the error log with the page it happened on, without a key (CALL-10)", async () => {
  const { api, reports, seen } = bench(() => ok(null));
  api.logDefect(new Error("clip crashed: broken"), "/watch/1");
  await Promise.resolve();
  expect(reports).toEqual([
    { date: "2026-11-21T10:00:00.000Z", status: 0, message: "defect: clip crashed: broken", url: "/watch/1" },
  ]);
  expect(seen).toEqual([]);
});
