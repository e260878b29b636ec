import { LEADER_LOCK } from "../storage/stateDatabase";

/** The part of the browser's locks that is used here. */
export type LeaderLocks = Pick<LockManager, "request">;

export interface LeaderLockParts {
  locks: LeaderLocks;
  /** This page has it. */
  gained(): void;
  /** Another page took it away. */
  lost(): void;
  after(ms: number, run: () => void): void;
}

/** The lock of the page that leads. */
export interface LeaderLock {
  /** Takes it if nobody has it. */
  take(): Promise<boolean>;
  /** Takes it as soon as it finds that nobody has it. */
  stand(): void;
  /** Takes it away from whoever has it. */
  steal(): void;
  /** Lets go of it, and stands for it no longer. */
  letGo(): void;
}

/**
 * How often a page that follows looks whether the lock is free, milliseconds. It never waits in line: a page that enters
 * the back-forward cache a moment before its lock is let go would be dropped for those who wait.
 */
const LOOK_MS = 250;

export function createLeaderLock({ locks, gained, lost, after }: LeaderLockParts): LeaderLock {
  let release: (() => void) | null = null;
  let isStanding = false;
  /** Which standing it is: a page may come back before the looks of its last one have ended. */
  let standing = 0;

  /** Has the lock until it lets go of it, or another page steals it. */
  async function request(options: LockOptions, told: (has: boolean) => boolean, then = gained): Promise<void> {
    let mine: (() => void) | null = null;
    try {
      await locks.request(LEADER_LOCK, options, (lock) => {
        if (!told(lock !== null) || lock === null) return undefined;
        return new Promise<void>((over) => {
          mine = over;
          release = over;
          isStanding = false;
          then();
        });
      });
    } catch {
      // The lock is another page's by now.
      if (mine !== null && release === mine) {
        release = null;
        lost();
      }
    }
  }

  function look(mine: number): void {
    const stands = (): boolean => isStanding && mine === standing;
    if (!stands()) return;
    // A page that stopped looking in the same moment does not keep what it is given.
    void request({ ifAvailable: true }, stands);
    after(LOOK_MS, () => look(mine));
  }

  return {
    take: () =>
      new Promise((told) => {
        const answer = (has: boolean): boolean => {
          if (!has) told(false);
          return has;
        };
        void request({ ifAvailable: true }, answer, () => told(true));
      }),
    stand() {
      if (release !== null || isStanding) return;
      isStanding = true;
      standing += 1;
      look(standing);
    },
    steal() {
      if (release !== null) return;
      isStanding = false;
      void request({ steal: true }, () => true);
    },
    letGo() {
      isStanding = false;
      const over = release;
      release = null;
      over?.();
    },
  };
}
