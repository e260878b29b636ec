/** Maximum number of timers that a screen may run before it stops changing. */
const MAX_TIMERS = 5_000;

interface Timer {
  readonly due: number;
  readonly run: () => void;
  readonly interval: number | null;
}

/** The virtual time of a window. */
export interface Timers {
  /** Runs the timers of the next milliseconds. Throws if there is no end to them. */
  settle(ms: number): Promise<void>;
}

/** The event loop's next turn: promises that can settle have settled. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

type Callback = (...args: readonly unknown[]) => void;

/** Replaces a window's timers, with those of its libraries: the speed of the machine decides nothing. */
export function openTimers(window: object): Timers {
  const timers = new Map<number, Timer>();
  let now = 0;
  let created = 0;

  function add(run: () => void, ms: number, repeats = false): number {
    created += 1;
    // A number that isn't one counts as 0, as in a browser.
    const delay = ms > 0 ? ms : 0;
    timers.set(created, { due: now + delay, run, interval: repeats ? Math.max(1, delay) : null });
    return created;
  }

  const remove = (id: number): void => void timers.delete(id);

  Object.assign(window, {
    setTimeout: (run: Callback, ms = 0, ...args: readonly unknown[]) => add(() => run(...args), ms),
    setInterval: (run: Callback, ms = 0, ...args: readonly unknown[]) => add(() => run(...args), ms, true),
    requestAnimationFrame: (run: Callback) => add(() => run(now), 16),
    requestIdleCallback: (run: Callback) => add(() => run({ didTimeout: false, timeRemaining: () => 50 }), 1),
    clearTimeout: remove,
    clearInterval: remove,
    cancelAnimationFrame: remove,
    cancelIdleCallback: remove,
  });

  function nextDue(end: number): readonly [id: number, timer: Timer] | undefined {
    let next: readonly [number, Timer] | undefined;
    for (const entry of timers) if (entry[1].due <= end && (!next || entry[1].due < next[1].due)) next = entry;
    return next;
  }

  return {
    async settle(ms) {
      const end = now + ms;
      for (let count = 0; count < MAX_TIMERS; count += 1) {
        await turn();
        const next = nextDue(end);
        if (!next) {
          now = end;
          return;
        }
        const [id, timer] = next;
        now = timer.due;
        if (timer.interval === null) timers.delete(id);
        else timers.set(id, { ...timer, due: now + timer.interval });
        timer.run();
      }
      throw new Error("the screen never stops changing");
    },
  };
}
