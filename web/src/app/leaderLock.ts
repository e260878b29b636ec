import { LEADER_LOCK } from "../storage/stateDatabase";

/** The part of the browser's locks that is used here. */
export type LeaderLocks = Pick<LockManager, "request">;

export interface LeaderLockParts {
  locks: LeaderLocks;
  /** This page has it. */
  gained(): void;
  /** Another page took it away. */
  lost(): void;
}

/** The lock of the page that leads. */
export interface LeaderLock {
  /** Takes it if nobody has it. */
  take(): Promise<boolean>;
  /** Stands in line for it. */
  stand(): void;
  /** Takes it away from whoever has it. */
  steal(): void;
  /** Lets go of it, and leaves the line. */
  letGo(): void;
}

export function createLeaderLock({ locks, gained, lost }: LeaderLockParts): LeaderLock {
  let release: (() => void) | null = null;
  let line: AbortController | null = null;

  const leaveLine = (): void => {
    line?.abort();
    line = null;
  };

  /** Has the lock until it lets go of it, or another page steals it. */
  async function request(options: LockOptions, told: (has: boolean) => void): Promise<void> {
    let mine: (() => void) | null = null;
    try {
      await locks.request(LEADER_LOCK, options, (lock) => {
        // A page that left the line in the same moment does not keep what it is given.
        if (lock === null || options.signal?.aborted) return told(false);
        return new Promise<void>((over) => {
          mine = over;
          release = over;
          told(true);
        });
      });
    } catch {
      // The line was left, which nobody is told, or the lock is another page's by now.
      if (mine !== null && release === mine) {
        release = null;
        lost();
      }
    }
  }

  const whenGained = (has: boolean): void => {
    if (has) gained();
  };

  return {
    take: () => new Promise((told) => void request({ ifAvailable: true }, told)),
    stand() {
      if (release !== null || line !== null) return;
      const mine = new AbortController();
      line = mine;
      void request({ signal: mine.signal }, (has) => {
        if (line === mine) line = null;
        whenGained(has);
      });
    },
    steal() {
      if (release !== null) return;
      leaveLine();
      void request({ steal: true }, whenGained);
    },
    letGo() {
      leaveLine();
      const over = release;
      release = null;
      over?.();
    },
  };
}
