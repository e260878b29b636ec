import { LEADER_LOCK } from "../storage/stateDatabase";

/** The subset of the Web Locks API in use. */
export type LeaderLocks = Pick<LockManager, "request">;

export interface LeaderLockDeps {
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
  acquire(): Promise<boolean>;
  /** Acquires it as soon as it finds it free. */
  waitForLock(): void;
  /** Takes the lock from its current holder. */
  steal(): void;
  /** Releases it and stops waiting for it. */
  release(): void;
}

/**
 * Poll interval of a follower for a free lock, in milliseconds. It never queues: the browser drops a page from the
 * back-forward cache if others queue for a lock it has just released.
 */
const POLL_MS = 250;

export function createLeaderLock({ locks, gained, lost, after }: LeaderLockDeps): LeaderLock {
  let release: (() => void) | null = null;
  let isWaiting = false;
  /** Number of the current wait: a page may return before the polls of its previous wait have ended. */
  let waitNumber = 0;

  /** Holds the lock until released or stolen by another page. */
  async function request(
    options: LockOptions,
    onResult: (isGranted: boolean) => boolean,
    then = gained,
  ): Promise<void> {
    let releaseMine: (() => void) | null = null;
    try {
      await locks.request(LEADER_LOCK, options, (lock) => {
        if (!onResult(lock !== null) || lock === null) return undefined;
        return new Promise<void>((releaseLock) => {
          releaseMine = releaseLock;
          release = releaseLock;
          isWaiting = false;
          then();
        });
      });
    } catch {
      // Another page holds the lock by now.
      if (releaseMine !== null && release === releaseMine) {
        release = null;
        lost();
      }
    }
  }

  function poll(mine: number): void {
    const isCurrentWait = (): boolean => isWaiting && mine === waitNumber;
    if (!isCurrentWait()) return;
    // A page that stopped waiting at the same moment releases a lock it is granted.
    void request({ ifAvailable: true }, isCurrentWait);
    after(POLL_MS, () => poll(mine));
  }

  return {
    acquire: () =>
      new Promise((onResult) => {
        const answer = (isGranted: boolean): boolean => {
          if (!isGranted) onResult(false);
          return isGranted;
        };
        void request({ ifAvailable: true }, answer, () => onResult(true));
      }),
    waitForLock() {
      if (release !== null || isWaiting) return;
      isWaiting = true;
      waitNumber += 1;
      poll(waitNumber);
    },
    steal() {
      if (release !== null) return;
      isWaiting = false;
      void request({ steal: true }, () => true);
    },
    release() {
      isWaiting = false;
      const releaseLock = release;
      release = null;
      releaseLock?.();
    },
  };
}
