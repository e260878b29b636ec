import { describe, expect, it, vi } from "vitest";
import { createIdleCheck, type IdleWire } from "./idleCheck";

/** Tabs of one browser: each receives what the others post. */
function browser() {
  const wires: IdleWire[] = [];
  const names: string[] = [];
  let ids = 0;
  function open(name: string, isIdle: () => boolean, isFrozen = false) {
    names.push(name);
    const wire: IdleWire = {
      onmessage: null,
      postMessage: (data) => {
        for (const other of wires) if (other !== wire) queueMicrotask(() => other.onmessage?.({ data }));
      },
    };
    if (!isFrozen) wires.push(wire);
    return createIdleCheck({
      wire,
      tab: name,
      otherTabs: async () => names.filter((other) => other !== name),
      isIdle,
      newId: () => String(++ids),
      after: (ms, action) => void setTimeout(action, ms),
    });
  }
  return { open };
}

async function answerOf(check: { isEveryTabIdle(): Promise<boolean> }): Promise<boolean> {
  vi.useFakeTimers();
  const answer = check.isEveryTabIdle();
  await vi.advanceTimersByTimeAsync(2_000);
  vi.useRealTimers();
  return answer;
}

describe("whether every tab can load again without losing anything", () => {
  it("is so for one idle tab, and for several", async () => {
    const { open } = browser();
    const first = open("a", () => true);
    expect(await answerOf(first)).toBe(true);
    open("b", () => true);
    expect(await answerOf(first)).toBe(true);
  });

  it("is not so while this tab, or another one, is busy", async () => {
    const { open } = browser();
    const busy = open("a", () => false);
    expect(await answerOf(busy)).toBe(false);
    const check = open("b", () => true);
    expect(await answerOf(check)).toBe(false);
  });

  it("is not so if an open tab does not answer", async () => {
    const { open } = browser();
    const first = open("a", () => true);
    open("b", () => true, true);
    expect(await answerOf(first)).toBe(false);
  });
});
