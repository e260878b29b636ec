const RECORD = "touchline:tab";
const lockOf = (tab: string): string => `touchline-tab/${tab}`;

/** A tab's name. Other tabs see it by a lock of that name. */
export interface NamedTab {
  readonly name: string;
  /** The page closes or is frozen: Chromium drops a page with a lock from its back-forward cache. */
  leave(): void;
  /** The page returns. */
  comeBack(): void;
}

/** Acquires a lock if it is free. Returns a release function; null if it isn't. */
function acquire(name: string, locks: LockManager): Promise<(() => void) | null> {
  return new Promise((resolve, reject) => {
    locks
      .request(name, { ifAvailable: true }, (lock) => {
        if (lock === null) return resolve(null);
        return new Promise<void>(resolve);
      })
      .catch(reject);
  });
}

export interface TabDeps {
  /** Storage for a tab's name that survives a reload. */
  readonly storage: Pick<Storage, "getItem" | "setItem">;
  readonly locks: LockManager | undefined;
  newName(): string;
}

/** This tab's name. It survives a reload; a duplicated tab, which starts with a copy of the name, gets a new one. */
export async function nameTab({ storage, locks, newName }: TabDeps): Promise<NamedTab> {
  const stored = storage.getItem(RECORD);
  if (!locks) {
    const name = stored ?? newName();
    storage.setItem(RECORD, name);
    return { name, leave: () => undefined, comeBack: () => undefined };
  }
  let releaseLock = stored === null ? null : await acquire(lockOf(stored), locks);
  let name = stored;
  if (name === null || releaseLock === null) {
    name = newName();
    storage.setItem(RECORD, name);
    releaseLock = await acquire(lockOf(name), locks);
  }
  return { name, ...presence(lockOf(name), locks, releaseLock) };
}

/** Releases a lock whenever the page closes, and acquires it when it returns. */
function presence(name: string, locks: LockManager, initialRelease: (() => void) | null): Omit<NamedTab, "name"> {
  let releaseLock = initialRelease;
  let isHere = true;
  return {
    leave() {
      isHere = false;
      releaseLock?.();
      releaseLock = null;
    },
    comeBack() {
      if (isHere) return;
      isHere = true;
      // A copy of this tab may have the name by now: it stays with the copy.
      acquire(name, locks).then(
        (release) => {
          if (isHere) releaseLock = release;
          else release?.();
        },
        () => undefined,
      );
    },
  };
}

/** The other open tabs; unknown without Web Locks. */
export async function otherTabs(tab: string, locks: LockManager | undefined): Promise<string[]> {
  if (!locks) return [];
  const prefix = lockOf("");
  const { held: initialRelease = [] } = await locks.query();
  const names = initialRelease.flatMap(({ name }) => (name?.startsWith(prefix) ? [name.slice(prefix.length)] : []));
  return names.filter((name) => name !== tab).sort();
}
