import { describe, expect, it } from "vitest";
import { type Bus, type BusParts, createBus, type Nudge, type Told, type Wire } from "./bus";

/** Wires of one browser: what one posts, all others hear. */
function browser() {
  const wires: Wire[] = [];
  return (): Wire => {
    const wire: Wire = {
      onmessage: null,
      postMessage: (message) => {
        for (const other of wires) if (other !== wire) other.onmessage?.({ data: structuredClone(message) });
      },
    };
    wires.push(wire);
    return wire;
  };
}

interface Tab {
  bus: Bus;
  heard: Told[];
  stored: number;
  nudges: Nudge[];
  isHolder: boolean;
  /** Runs what waits for a moment to pass. */
  later(): void;
}

function tab(wire: Wire, name: string, isHolder: boolean, more: Partial<BusParts> = {}): Tab {
  let timers: (() => void)[] = [];
  const self: Tab = {
    heard: [],
    stored: 0,
    nudges: [],
    isHolder,
    later() {
      const due = timers;
      timers = [];
      for (const run of due) run();
    },
    bus: createBus({
      wire,
      tab: name,
      heard: ({ facts, position }) => self.heard.push({ facts, position }),
      nudged: (of) => self.nudges.push(of),
      isHolder: () => self.isHolder,
      store: async () => {
        self.stored += 1;
      },
      after: (_, run) => timers.push(run),
      ...more,
    }),
  };
  return self;
}

const told: Told = { facts: [{ type: "clips/made", payload: { id: 1 } }], position: { log: "l1", seq: 7 } };
const settled = async (work: Promise<void>): Promise<boolean> => {
  let isSettled = false;
  work.then(
    () => {
      isSettled = true;
    },
    () => undefined,
  );
  for (let i = 0; i < 10; i++) await Promise.resolve();
  return isSettled;
};

describe("the tabs of a browser", () => {
  it("hear each other's facts, and never their own", () => {
    const open = browser();
    const [one, other, third] = [tab(open(), "a", true), tab(open(), "b", false), tab(open(), "c", false)];
    one.bus.tell(told);
    expect([one.heard, other.heard, third.heard]).toEqual([[], [told], [told]]);
  });

  it("have the holder alone drain and store", async () => {
    const open = browser();
    const [holder, asker, third] = [tab(open(), "a", true), tab(open(), "b", false), tab(open(), "c", false)];
    asker.bus.nudge("analytics");
    expect(await settled(asker.bus.stored())).toBe(true);
    expect([holder.nudges, holder.stored]).toEqual([["analytics"], 1]);
    expect([third.nudges, third.stored, asker.stored]).toEqual([[], 0, 0]);
  });

  it("store by themselves where they are the holder", async () => {
    const alone = tab(browser()(), "a", true);
    expect(await settled(alone.bus.stored())).toBe(true);
    expect(alone.stored).toBe(1);
  });

  it("are told of nothing stored until it is, and ask again after a holder that is gone", async () => {
    const open = browser();
    const asker = tab(open(), "b", false);
    const waiting = asker.bus.stored();
    expect(await settled(waiting)).toBe(false);
    const next = tab(open(), "c", true);
    asker.later();
    expect(await settled(waiting)).toBe(true);
    expect(next.stored).toBe(1);
  });

  it("store by themselves once they follow the holder", async () => {
    const asker = tab(browser()(), "b", false);
    const waiting = asker.bus.stored();
    asker.isHolder = true;
    asker.later();
    expect(await settled(waiting)).toBe(true);
    expect(asker.stored).toBe(1);
  });

  it("hear at once that the holder cannot store, as it hears that of itself", async () => {
    const open = browser();
    const full = () => Promise.reject(new Error("full"));
    const holder = tab(open(), "a", true, { store: full });
    const asker = tab(open(), "b", false);
    await expect(holder.bus.stored()).rejects.toThrow("full");
    await expect(asker.bus.stored()).rejects.toThrow("full");
  });

  it("do not ask for ever a holder that does not answer", async () => {
    const open = browser();
    let asks = 0;
    tab(open(), "a", true, { store: () => new Promise(() => (asks += 1)) });
    const asker = tab(open(), "b", false);
    const waiting = asker.bus.stored();
    for (let s = 0; s < 9; s++) asker.later();
    expect([await settled(waiting), asks]).toEqual([false, 10]);
    asker.later();
    await expect(waiting).rejects.toThrow("does not answer");
    asker.later();
    expect(asks).toBe(10);
  });

  it("answer each asker by name", async () => {
    const open = browser();
    let finish: (() => void)[] = [];
    tab(open(), "a", true, { store: () => new Promise((resolve) => finish.push(resolve)) });
    const [one, other] = [tab(open(), "b", false), tab(open(), "c", false)];
    const [first, second] = [one.bus.stored(), other.bus.stored()];
    finish[0]?.();
    expect([await settled(first), await settled(second)]).toEqual([true, false]);
    finish = finish.slice(1);
    finish[0]?.();
    expect(await settled(second)).toBe(true);
  });
});

describe("the tabs of a browser without Web Locks", () => {
  it("tell each other that they are there, each as often as it is asked", async () => {
    const open = browser();
    const [one, two] = [tab(open(), "a", true), tab(open(), "b", true)];
    const asked = one.bus.others();
    one.later();
    expect(await asked).toEqual(["b"]);
    const third = tab(open(), "c", true);
    const both = two.bus.others();
    two.later();
    expect(await both).toEqual(["a", "c"]);
    const all = third.bus.others();
    third.later();
    expect(await all).toEqual(["a", "b"]);
  });

  it("are gone when they no longer answer", async () => {
    const open = browser();
    const one = tab(open(), "a", true);
    const wire = open();
    tab(wire, "b", true);
    wire.onmessage = null;
    const asked = one.bus.others();
    one.later();
    expect(await asked).toEqual([]);
  });
});
