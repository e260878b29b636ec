import { LEADER_LOCK } from "../storage/stateDatabase";

/** The subset of the Web Locks API in use. */
export type LeaderLocks = Pick<LockManager, "request">;

export interface LeaderLockParts {
  locks: LeaderLocks;
  /** This page acquired it. */
  gained(): void;
  /** Another page stole it. */
  lost(): void;
  after(ms: number, run: () => void): void;
}

/** The lock of the leading page. */
export interface LeaderLock {
  /** Acquires it if it is free. */
  take(): Promise<boolean>;
  /** Acquires it as soon as it finds it free. */
  stand(): void;
  /** Takes it from its holder. */
  steal(): void;
  /** Releases it and stops waiting for it. */
  letGo(): void;
}

/**
 * Poll interval of a follower for a free lock, in milliseconds. It never queues: the browser drops a page from the
 * back-forward cache if others queue for a lock it has just released.
 */
const LOOK_MS = 250;

export function createLeaderLock({ locks, gained, lost, after }: LeaderLockParts): LeaderLock {
  let release: (() => void) | null = null;
  let isStanding = false;
  /** Number of the current wait: a page may return before the polls of its previous wait have ended. */
  let standing = 0;

  /** Holds the lock until released or stolen by another page. */
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
      // Another page holds the lock by now.
      if (mine !== null && release === mine) {
        release = null;
        lost();
      }
    }
  }

  function look(mine: number): void {
    const stands = (): boolean => isStanding && mine === standing;
    if (!stands()) return;
    // A page that stopped waiting at the same moment releases a lock it is granted.
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
