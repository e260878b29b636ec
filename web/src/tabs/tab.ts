const RECORD = "touchline:tab";
const lockOf = (tab: string): string => `touchline-tab/${tab}`;

/** A tab's name. By a lock of that name the others know that the tab is there. */
export interface NamedTab {
  readonly name: string;
  /** The page goes away, or is frozen: Chromium drops a page from its back-forward cache that keeps a lock. */
  leave(): void;
  /** It is back. */
  comeBack(): void;
}

/** Takes a lock if nobody has it. Answers how to let go of it; null when someone else has it. */
function take(name: string, locks: LockManager): Promise<(() => void) | null> {
  return new Promise((resolve, reject) => {
    locks
      .request(name, { ifAvailable: true }, (lock) => {
        if (lock === null) return resolve(null);
        return new Promise<void>(resolve);
      })
      .catch(reject);
  });
}

export interface TabParts {
  /** Where a tab's name outlives a reload. */
  readonly storage: Storage;
  readonly locks: LockManager | undefined;
  newName(): string;
}

/** This tab's name. It outlives a reload; a duplicated tab, which starts with a copy of the name, takes a new one. */
export async function nameTab({ storage, locks, newName }: TabParts): Promise<NamedTab> {
  const stored = storage.getItem(RECORD);
  if (!locks) {
    const name = stored ?? newName();
    storage.setItem(RECORD, name);
    return { name, leave: () => undefined, comeBack: () => undefined };
  }
  let letGo = stored === null ? null : await take(lockOf(stored), locks);
  let name = stored;
  if (name === null || letGo === null) {
    name = newName();
    storage.setItem(RECORD, name);
    letGo = await take(lockOf(name), locks);
  }
  return { name, ...presence(lockOf(name), locks, letGo) };
}

/** Lets go of a lock whenever the page goes away, and takes it when it is back. */
function presence(name: string, locks: LockManager, held: (() => void) | null): Omit<NamedTab, "name"> {
  let letGo = held;
  let isHere = true;
  return {
    leave() {
      isHere = false;
      letGo?.();
      letGo = null;
    },
    comeBack() {
      if (isHere) return;
      isHere = true;
      // A copy of this tab may have the name by now: it keeps it.
      take(name, locks).then(
        (release) => {
          if (isHere) letGo = release;
          else release?.();
        },
        () => undefined,
      );
    },
  };
}

/** The other tabs that are there now; without Web Locks nobody can tell. */
export async function otherTabs(tab: string, locks: LockManager | undefined): Promise<string[]> {
  if (!locks) return [];
  const prefix = lockOf("");
  const { held = [] } = await locks.query();
  const names = held.flatMap(({ name }) => (name?.startsWith(prefix) ? [name.slice(prefix.length)] : []));
  return names.filter((name) => name !== tab).sort();
}
