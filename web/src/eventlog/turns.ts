/** A moment of a session. */
export interface Instant {
  /** Unix milliseconds. A viewer's clock may jump: nothing is ever ordered by it. */
  readonly at: number;
  /** Milliseconds since page load; never goes back. */
  readonly mono: number;
}

/** What a store's turns need of their surroundings. */
export interface TurnHooks {
  /** Reads the clocks; called once a turn. */
  sample(): Instant;
  /** Called at the end of each turn, before the next one begins. */
  ended(crashed: boolean): void;
  /** Told whatever a turn, or its end, threw. */
  report(error: unknown): void;
}

/** One outside input is one turn: it runs to its end, synchronously, while time stands still. */
export interface Turns {
  /** The instant of this turn, or of the last one. */
  now(): Instant;
  /** Runs `body` as a turn of its own: at once, or after the turns that came before it. */
  run(body: () => void): void;
  /** Ends the present turn as a crashed one. */
  crash(error: unknown): void;
}

interface Waiting {
  readonly take: (body: () => void) => void;
  readonly body: () => void;
}

// One queue for the whole realm, not one a store: redux-saga's scheduler is a global of its module, so a turn of a
// second store begun inside a turn of the first would leave its sagas to run after it had ended.
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

/** Makes the turns of one store. */
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

  function take(body: () => void): void {
    crashed = false;
    instant = hooks.sample();
    guarded(body);
    guarded(() => hooks.ended(crashed));
  }

  return {
    now: () => instant,
    crash,
    run(body) {
      queue.push({ take, body });
      if (!draining) drain();
    },
  };
}
