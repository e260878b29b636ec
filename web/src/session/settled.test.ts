import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type SettledDeps, watchSettled } from "./settled";

const parts = (marks: boolean[]): SettledDeps => ({
  now: () => Date.now(),
  after: (ms, run) => void setTimeout(run, ms),
  mark: (isSettled) => marks.push(isSettled),
});

describe("a settled page", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is marked a task after its last call ended, and not between two calls of one turn", () => {
    const marks: boolean[] = [];
    const watch = watchSettled(parts(marks));
    watch.opened("a", "api.user", {});
    watch.opened("b", "outbox.drain", {});
    watch.closed("a");
    vi.advanceTimersByTime(10);
    expect(marks).toEqual([]);
    watch.closed("b");
    watch.opened("c", "api.events", {});
    vi.advanceTimersByTime(10);
    expect(marks).toEqual([]);
    watch.closed("c");
    expect(marks).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(marks).toEqual([true]);
  });

  it("loses the mark when a call starts", () => {
    const marks: boolean[] = [];
    const watch = watchSettled(parts(marks));
    watch.opened("a", "api.user", {});
    watch.closed("a");
    vi.advanceTimersByTime(1);
    watch.opened("b", "api.buy", {});
    expect(marks).toEqual([true, false]);
  });

  it("is marked beside a timer until a second before it is due", () => {
    const marks: boolean[] = [];
    const watch = watchSettled(parts(marks));
    watch.opened("a", "api.user", {});
    watch.opened("long", "clock.sleep", { purpose: "heartbeat", ms: 30_000, until: 0 });
    watch.closed("a");
    vi.advanceTimersByTime(28_900);
    expect(marks).toEqual([true]);
    vi.advanceTimersByTime(200);
    expect(marks).toEqual([true, false]);
    vi.advanceTimersByTime(900);
    watch.closed("long");
    vi.advanceTimersByTime(1);
    expect(marks).toEqual([true, false, true]);
  });

  it("isn't marked beside a timer that is due within a second", () => {
    const marks: boolean[] = [];
    const watch = watchSettled(parts(marks));
    watch.opened("a", "api.user", {});
    watch.opened("soon", "clock.sleep", { purpose: "positions.calm", ms: 1_000, until: 0 });
    watch.closed("a");
    vi.advanceTimersByTime(500);
    expect(marks).toEqual([]);
    watch.closed("soon");
    vi.advanceTimersByTime(1);
    expect(marks).toEqual([true]);
  });

  it("is marked again if the preceding long timer was cancelled", () => {
    const marks: boolean[] = [];
    const watch = watchSettled(parts(marks));
    watch.opened("wait", "clock.sleep", { purpose: "outbox.wait", ms: 5_000, until: 0 });
    watch.closed("wait");
    vi.advanceTimersByTime(1);
    expect(marks).toEqual([true]);
    vi.advanceTimersByTime(10_000);
    expect(marks).toEqual([true]);
  });

  it("isn't marked before its parts have loaded", async () => {
    const marks: boolean[] = [];
    const watch = watchSettled(parts(marks));
    let loaded = (): void => undefined;
    watch.watch(new Promise<void>((resolve) => void (loaded = resolve)));
    watch.opened("a", "api.user", {});
    watch.closed("a");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(marks).toEqual([]);
    loaded();
    await vi.advanceTimersByTimeAsync(50);
    expect(marks).toEqual([true]);
    watch.watch(Promise.reject(new Error("gone")));
    expect(marks).toEqual([true, false]);
    await vi.advanceTimersByTimeAsync(50);
    expect(marks).toEqual([true, false, true]);
  });
});
