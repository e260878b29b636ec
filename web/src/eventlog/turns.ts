/** A moment of a session. */
export interface Instant {
  /** Unix milliseconds. A viewer's clock may jump: nothing is ever ordered by it. */
  readonly at: number;
  /** Milliseconds since page load; never decreases. */
  readonly mono: number;
}

export interface TurnHooks {
  /** Reads the clocks; called once per turn. */
  sample(): Instant;
  /** Called at the end of each turn, before the next one starts. */
  ended(crashed: boolean): void;
  /** Receives errors of a turn or its end. */
  report(error: unknown): void;
}

/** One outside input is one turn: it runs to its end, synchronously, while time stands still. */
export interface Turns {
  /** The instant of this turn, or of the last one. */
  now(): Instant;
  /** Runs `body` as a turn of its own: at once, or after the queued turns. */
  run(body: () => void): void;
  /** Ends the current turn as crashed. */
  crash(error: unknown): void;
}

interface Waiting {
  readonly take: (body: () => void) => void;
  readonly body: () => void;
}

// One queue for the whole realm, not one per store: redux-saga's scheduler is a module global, so a second store's turn
// inside a turn of the first would run its sagas after it had ended.
const queue: Waiting[] = [];
let draining = false;

/** Whether a turn is running in this realm: redux-saga's scheduler may then be held by it. */
export const turnIsRunning = (): boolean => draining;

function drain(): void {
  draining = true;
  try {
    for (let next = 0; next < queue.length; next++) {
      const waiting = queue[next];
      waiting?.take(waiting.body);
    }
  } finally {
    queue.length = 0;
    draining = false;
  }
}

export function createTurns(hooks: TurnHooks): Turns {
  let instant: Instant = { at: 0, mono: 0 };
  let crashed = false;

  const guarded = (body: () => void): void => {
    try {
      body();
    } catch (error) {
      crash(error);
    }
  };

  function crash(error: unknown): void {
    crashed = true;
    hooks.report(error);
  }

  function runQueued(body: () => void): void {
    crashed = false;
    instant = hooks.sample();
    guarded(body);
    guarded(() => hooks.ended(crashed));
  }

  return {
    now: () => instant,
    crash,
    run(body) {
      queue.push({ take: runQueued, body });
      if (!draining) drain();
    },
  };
}
