import type { CallWatch } from "../eventlog/gate";

export interface SettledWatch extends CallWatch {
  /** Watches the load of a part of the page. */
  watch(loading: Promise<unknown>): void;
}

/** A timer due within this time counts as work in progress, in milliseconds. */
const NEAR_TIMER_MS = 1_000;

const SLEEP = "clock.sleep";

export interface SettledDeps {
  now(): number;
  /** Calls `run` in a later task. */
  after(ms: number, run: () => void): void;
  mark(isSettled: boolean): void;
}

/**
 * Marks when a page is settled: no call or load is in flight, including an outbox's, and no timer is due within a
 * second. The mark is removed when a call or load starts, and set one task after the last one ended, when its changes
 * are rendered.
 */
export function watchSettled({ now, after, mark }: SettledDeps): SettledWatch {
  const inFlight = new Set<string | Promise<unknown>>();
  const due = new Map<string, number>();
  let isMarked = false;
  let isLooking = false;
  let nextCheck = Number.POSITIVE_INFINITY;

  function set(isSettled: boolean): void {
    if (isSettled === isMarked) return;
    isMarked = isSettled;
    mark(isSettled);
  }

  function checkAt(time: number): void {
    if (time >= nextCheck) return;
    nextCheck = time;
    after(time - now(), () => {
      if (nextCheck === time) nextCheck = Number.POSITIVE_INFINITY;
      check();
    });
  }

  function check(): void {
    const next = Math.min(...due.values());
    set(inFlight.size === 0 && next - now() > NEAR_TIMER_MS);
    if (isMarked) checkAt(next - NEAR_TIMER_MS);
  }

  function ended(work: string | Promise<unknown>): void {
    inFlight.delete(work);
    if (isLooking) return;
    isLooking = true;
    after(0, () => {
      isLooking = false;
      check();
    });
  }

  return {
    opened(call, method, args) {
      const { ms } = args as { ms?: number };
      if (method === SLEEP && ms !== undefined && ms > NEAR_TIMER_MS) due.set(call, now() + ms);
      else {
        inFlight.add(call);
        set(false);
      }
    },
    closed(call) {
      due.delete(call);
      ended(call);
    },
    watch(loading) {
      inFlight.add(loading);
      set(false);
      loading.catch(() => undefined).then(() => ended(loading));
    },
  };
}
