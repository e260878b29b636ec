import { describe, expect, it, vi } from "vitest";
import { type CalmWire, createCalm } from "./calm";

/** Tabs of one browser: each receives what the others post. */
function browser() {
  const wires: CalmWire[] = [];
  const names: string[] = [];
  let ids = 0;
  function open(name: string, isCalm: () => boolean, isFrozen = false) {
    names.push(name);
    const wire: CalmWire = {
      onmessage: null,
      postMessage: (data) => {
        for (const other of wires) if (other !== wire) queueMicrotask(() => other.onmessage?.({ data }));
      },
    };
    if (!isFrozen) wires.push(wire);
    return createCalm({
      wire,
      tab: name,
      otherTabs: async () => names.filter((other) => other !== name),
      isCalm,
      newId: () => String(++ids),
      after: (ms, action) => void setTimeout(action, ms),
    });
  }
  return { open };
}

async function answerOf(calm: { isEveryTabCalm(): Promise<boolean> }): Promise<boolean> {
  vi.useFakeTimers();
  const answer = calm.isEveryTabCalm();
  await vi.advanceTimersByTimeAsync(2_000);
  vi.useRealTimers();
  return answer;
}

describe("whether every tab can load again without losing anything", () => {
  it("is so for one calm tab, and for several", async () => {
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
    const calm = open("b", () => true);
    expect(await answerOf(calm)).toBe(false);
  });

  it("is not so if an open tab does not answer", async () => {
    const { open } = browser();
    const first = open("a", () => true);
    open("b", () => true, true);
    expect(await answerOf(first)).toBe(false);
  });
});
