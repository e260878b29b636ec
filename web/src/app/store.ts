import type { UnknownAction } from "@reduxjs/toolkit";
import type { KeyLoss } from "../api";
import type { InputOrigin, State } from "../eventlog/envelope";
import { createRecordedStore, type RecordedStore } from "../eventlog/live";
import { program } from "../sagas/program";
import { browserScoped, type RootState, tabScoped } from "../slices";
import { outboxInputs } from "../slices/outbox";
import { unsoundSlices } from "../slices/stored";
import { factsHeard, tabActions } from "../slices/tabs";
import { openStateDatabase, SupersededError } from "../storage/stateDatabase";
import { newUuid, sampleClocks } from "./ambient";
import { openWire } from "./browserAdapters";
import { type Bus, createBus, type Nudge, type Told } from "./bus";
import { channelEventsOf, reportKeyLoss } from "./channelEvents";
import { type ChannelClient, openClient } from "./client";
import type { ShellConfig } from "./config";
import { collectDefects } from "./errorReporting";
import { type LogParts, logText, openLog, pruneOld, tabSnapshot } from "./log";
import { collectOutboxResults } from "./outboxResults";
import { recover } from "./persist/recovery";
import { OvertakenError, type Snapshot, type SnapshotPlace, snapshotPlace } from "./persist/snapshots";
import { createWriter, type Writer } from "./persist/writer";
import { createPorts } from "./ports";
import { createNotingReducer, readable } from "./replication";
import { openLogStorage } from "./storages";
import { nameTab, otherTabs, standForHolder, type TabWatch, watchTabs } from "./tab";

/** A page's session: its store, and what stands behind it. */
export interface Session {
  readonly store: RecordedStore<RootState>["store"];
  readonly client: ChannelClient;
  /** Takes what comes in by itself. */
  input(origin: InputOrigin, action: UnknownAction): void;
  /** Hands to the site what the outbox learned while no page was there, or through the service worker. */
  collect(): Promise<void>;
  /** The key of whoever is logged in may be gone: the page finds out, and the store hears of it. */
  keyLost(how: KeyLoss): Promise<void>;
  /** Stores the present state. */
  write(): Promise<void>;
  /** The page goes away in peace. */
  leave(): void;
  readonly log: LogParts;
  /** Settles once every line so far is stored. */
  flushLog(): Promise<void>;
}

export interface SessionParts {
  config: ShellConfig;
  openTagManager(container: string): void;
  tag(entry: object): void;
  reload(): void;
  openUrl(url: string): void;
  /** A page of a newer build stores what this one did: what this one does is no longer kept. */
  overtaken(): void;
  report(error: unknown): void;
}

const SCOPES = { browser: browserScoped, tab: tabScoped };
/** How long the tab that writes for the viewer is given to store what it knows, before a new tab reads it. */
const WELCOME_MS = 1500;

const after = (ms: number, run: () => void): void => void setTimeout(run, ms);
/** Runs what may wait when nothing else is to be done. */
const whenQuiet = (run: () => void): void =>
  "requestIdleCallback" in window ? void window.requestIdleCallback(run) : after(200, run);
const patience = (): Promise<void> => new Promise((resolve) => after(WELCOME_MS, resolve));

/** Opens the page's session: recovers the state, begins the log, starts the sagas, and joins the other tabs. */
export async function openSession(parts: SessionParts): Promise<Session> {
  const { config, report } = parts;
  const { locks } = navigator;
  const tab = await nameTab(sessionStorage, locks);
  const database = openStateDatabase();
  const places = {
    browser: snapshotPlace({ storage: database.fenced("snapshots"), key: "browser" }),
    tab: snapshotPlace({ storage: database.storage("snapshots"), key: tabSnapshot(tab) }),
  };
  const logParts: LogParts = {
    storage: openLogStorage(),
    log: newUuid(),
    tab,
    others: otherPages,
    continued: async () => {
      const snapshots = await Promise.all([places.browser.read(), places.tab.read()]);
      return snapshots.flatMap((snapshot) => snapshot?.position.log ?? []);
    },
  };

  let recorded: RecordedStore<RootState> | null = null;
  /** Nothing is stored, and nobody is told that it is, before this page knows what there was. */
  let opened: (writer: Writer) => void = () => undefined;
  const writing = new Promise<Writer>((resolve) => {
    opened = resolve;
  });
  const write = async (): Promise<void> => (await writing).write();
  let isHolder = false;
  /** What other tabs told before there was a store to hear it. */
  let early: Told[] = [];

  function otherPages(): Promise<string[]> {
    return locks ? otherTabs(tab, locks) : bus.others();
  }
  const input = (origin: InputOrigin, action: UnknownAction): void => recorded?.input(origin, action);
  let watch: TabWatch | null = null;
  function heard({ facts, tab: teller }: Told): void {
    // Before it is told what it began: nobody takes that on from a tab that is there.
    if (teller !== undefined) watch?.met(teller);
    input("storage", factsHeard({ facts: readable(program, facts) }));
  }

  const nudged = (of: Nudge): void =>
    input("storage", of === "analytics" ? outboxInputs.analyticsNudged() : outboxInputs.nudged());

  /** What an earlier leader still writes is refused from now on. A browser that cannot store refuses nobody. */
  async function lead(): Promise<void> {
    if (locks) await database.lead().catch(report);
  }

  async function elected(): Promise<void> {
    await lead();
    isHolder = true;
    input("storage", tabActions.holderChanged({ holder: true }));
    nudged("seen");
    nudged("analytics");
    write().catch(report);
  }
  const candidacy = await standForHolder(tab, locks, () => void elected());
  if (candidacy.isHolder) await lead();
  isHolder = candidacy.isHolder;

  /** What a newer build, or another leader, stored is for them to go on with. */
  function stepDown(): void {
    isHolder = false;
    input("storage", tabActions.holderChanged({ holder: false }));
    candidacy.resign();
  }
  const browserPlace: SnapshotPlace = {
    read: places.browser.read,
    async write(snapshot) {
      try {
        await places.browser.write(snapshot);
      } catch (error) {
        if (error instanceof OvertakenError || error instanceof SupersededError) stepDown();
        if (error instanceof OvertakenError) parts.overtaken();
        throw error;
      }
    },
  };

  const bus: Bus = createBus({
    wire: openWire("touchline-store"),
    tab,
    heard: (told) => (recorded ? heard(told) : void early.push(told)),
    nudged,
    isHolder: () => isHolder,
    store: write,
    after,
  });

  /** A page goes on without what cannot be read now, and leaves it there for the next one. */
  async function known(place: SnapshotPlace): Promise<Snapshot | null> {
    try {
      return await place.read();
    } catch (error) {
      report(error);
      return null;
    }
  }

  // What the tab that writes for the viewer has not stored yet would be missing here.
  if (!isHolder) await Promise.race([bus.stored().catch(() => undefined), patience()]);
  const [browser, ownSnapshot] = await Promise.all([known(places.browser), known(places.tab)]);
  const recovered = await recover({
    program,
    scopes: SCOPES,
    browser,
    tab: ownSnapshot,
    unsound: unsoundSlices,
    readLog: (log) => logText({ ...logParts, log }),
    report,
  });

  const others = await otherPages();
  const news = channelEventsOf(input, () => recorded?.store.getState());
  const client = await openClient(config, locks, database, news);
  const defects = collectDefects((defect) => {
    report(defect);
    client.api.logDefect(defect, window.location.pathname);
  });
  const sink = openLog(logParts);
  const noting = createNotingReducer(program);

  /** Everything so far is durable: in this page's log, and with the tab that writes for the viewer. */
  async function flush(): Promise<void> {
    await recorded?.flush();
    await bus.stored();
  }

  /** Who leads hears it, and tells the others. */
  async function collect(): Promise<void> {
    if (isHolder) await collectOutboxResults({ outbox: client.outbox, input, flush });
  }

  const ports = createPorts({
    ...client,
    itemStored: ({ kind }) => {
      if (!isHolder) bus.nudge(kind === "analytics" ? "analytics" : "seen");
    },
    collect,
    flush,
    openTagManager: parts.openTagManager,
    tag: parts.tag,
    reload: parts.reload,
    openUrl: parts.openUrl,
  });
  const store = createRecordedStore<RootState>({
    program: { ...program, reducer: noting.reducer },
    ports,
    sample: sampleClocks,
    header: { build: config.build, channel: config.channelKey, locale: config.language },
    sink,
    ...(recovered ? { snapshot: recovered.state as RootState } : {}),
    report,
    idle: whenQuiet,
  });
  recorded = store;
  defects.watch({ subscribe: (listener) => void store.store.subscribe(listener), state: store.store.getState });
  const position = () => ({ log: logParts.log, seq: store.position() });
  const writer = createWriter({
    scopes: SCOPES,
    browser: browserPlace,
    tab: places.tab,
    now: () => ({ state: store.store.getState() as unknown as State, position: position() }),
    flushLog: () => store.flush(),
    isHolder: () => isHolder,
    after,
    report,
  });
  opened(writer);
  // Whoever comes after this page finds its log by the snapshot's name for it.
  write().catch(report);

  store.store.subscribe(() => {
    const facts = noting.take();
    if (facts.length > 0) bus.tell({ facts, position: position(), tab });
    writer.changed();
  });
  input("storage", tabActions.identified({ id: tab, holder: isHolder, others }));
  const since = recovered?.position;
  // What is in the recovered state already must not be folded over it again.
  for (const told of early) if (told.position.log !== since?.log || told.position.seq > since.seq) heard(told);
  early = [];
  watch = watchTabs(otherPages, (others) => input("storage", tabActions.othersChanged({ others })));
  after(10_000, () => void pruneOld(logParts, database.storage("snapshots")).catch(report));

  return {
    store: store.store,
    client,
    input,
    collect,
    keyLost: (how) => reportKeyLoss(how, client.api, news),
    write,
    leave() {
      write().catch(() => undefined);
      sink.close().catch(() => undefined);
    },
    log: logParts,
    flushLog: () => store.flush(),
  };
}
