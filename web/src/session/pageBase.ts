import type { UnknownAction } from "@reduxjs/toolkit";
import type { InputOrigin } from "../eventlog/envelope";
import type { RecordedStore } from "../eventlog/live";
import { type Broadcast, openBroadcast } from "../outbox/wire";
import type { RootState } from "../slices";
import { loadMemory } from "../storage/database";
import { openStateDatabase, type StateDatabase } from "../storage/stateDatabase";
import { createLeadership, type Leadership } from "../tabs/leadership";
import { type NamedTab, nameTab, otherTabs } from "../tabs/tab";
import { after, isVisible, newUuid } from "./ambient";
import { tabStorage, usableLocks } from "./browserFeatures";
import { createDeferred, type Deferred } from "./deferred";
import type { LogDeps } from "./log";
import { continuedLogs, openSnapshotLocations, readViewerState, type SnapshotLocations } from "./persist/locations";
import type { Writer } from "./persist/writer";
import { openLogStorage } from "./storages";

/** The page's basis before it has a store: its name, its databases, and its role among the browser's tabs. */
export interface PageBase {
  readonly tab: NamedTab;
  /** Undefined without Web Locks. */
  readonly locks: LockManager | undefined;
  readonly database: StateDatabase;
  readonly locations: SnapshotLocations;
  readonly log: LogDeps;
  readonly broadcast: Broadcast;
  readonly leadership: Leadership;
  readonly recorded: Deferred<RecordedStore<RootState>>;
  readonly writer: Deferred<Writer>;
  /** Takes inputs once there is a store. */
  input(origin: InputOrigin, action: UnknownAction): void;
  /** Stores the current state. Stores and reports nothing before this page has read the previous state. */
  write(): Promise<void>;
}

export interface PageBaseDeps {
  /** A page of a newer build stores what this one did: later changes of this page are lost. */
  overtaken(): void;
  /** The browser opened its database late: a page that loads again uses it. */
  databaseOpened(): void;
  report(error: unknown): void;
}

/** Calls that may be open while a leader resigns: they have no outside effect. */
const HARMLESS = /^(clock\.|sync\.|api\.(get|list|search)|account\.)/;

export async function openPageBase({ overtaken, databaseOpened, report }: PageBaseDeps): Promise<PageBase> {
  const locks = await usableLocks();
  const tab = await nameTab({ storage: tabStorage(), locks, newName: newUuid });
  const others = () => otherTabs(tab.name, locks);
  const database = openStateDatabase(undefined, { load: loadMemory, opened: databaseOpened });
  const broadcast = openBroadcast();
  const recorded = createDeferred<RecordedStore<RootState>>();
  const writer = createDeferred<Writer>();
  const write = async (): Promise<void> => (await writer.promise).write();
  const input = (origin: InputOrigin, action: UnknownAction): void => recorded.value?.input(origin, action);
  // A newer build or another leader continues from its own stored state.
  const locations = openSnapshotLocations(database, tab.name, {
    superseded: () => leadership.yield(),
    newerBuild() {
      leadership.hide();
      overtaken();
    },
  });
  const log: LogDeps = {
    storage: openLogStorage(),
    log: newUuid(),
    tab: tab.name,
    others,
    continued: () => continuedLogs(locations),
  };
  const leadership: Leadership = createLeadership({
    wire: broadcast.of("leadership"),
    locks,
    page: log.log,
    state: () => recorded.value?.store.getState() ?? null,
    input,
    raise: () => database.lead(),
    isAlone: async () => (await others()).length === 0,
    stored: () => readViewerState(locations),
    write,
    isIdle: () => recorded.value?.openCalls().every((call) => HARMLESS.test(call)) ?? true,
    isVisible,
    after,
    now: () => performance.now(),
    report,
  });
  return { tab, locks, database, locations, log, broadcast, leadership, recorded, writer, input, write };
}
