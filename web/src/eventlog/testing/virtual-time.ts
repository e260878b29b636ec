/** Milliseconds that pass only on request, with the timers due in them. */
export interface VirtualTime {
  now(): number;
  /** Calls `run` at `due`; returns a cancel function. */
  at(due: number, run: () => void): () => void;
  /** Advances time to `until`, running due timers and every promise they settle on the way. */
  pass(until: number): Promise<void>;
}

interface Due {
  readonly due: number;
  readonly order: number;
  readonly run: () => void;
}

/** Runs all due promise reactions. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Time from zero. */
export function createVirtualTime(): VirtualTime {
  let now = 0;
  let order = 0;
  let waiting: Due[] = [];

  return {
    now: () => now,
    at(due, run) {
      const entry = { due: Math.max(due, now), order: order++, run };
      waiting.push(entry);
      return () => {
        waiting = waiting.filter((other) => other !== entry);
      };
    },
    async pass(until) {
      await settled();
      for (;;) {
        const first = waiting
          .filter(({ due }) => due <= until)
          .sort((one, other) => one.due - other.due || one.order - other.order)[0];
        if (!first) break;
        now = first.due;
        // Timers of one instant run in one tick: their answers race as they do in a browser.
        const together = waiting.filter(({ due }) => due <= now).sort((one, other) => one.order - other.order);
        waiting = waiting.filter(({ due }) => due > now);
        for (const { run } of together) run();
        await settled();
      }
      now = until;
    },
  };
}

/** A seeded random number generator in [0, 1): mulberry32. */
export function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
