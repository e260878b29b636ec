import type { UnknownAction } from "@reduxjs/toolkit";
import type { KeyLoss } from "../api";
import type { InputOrigin, State } from "../eventlog/envelope";
import { createRecordedStore, type RecordedStore } from "../eventlog/live";
import { openBroadcast } from "../outbox";
import { program } from "../sagas/program";
import { browserScoped, type RootState, tabScoped } from "../slices";
import { unsoundSlices } from "../slices/stored";
import { tabActions } from "../slices/tabs";
import { openStateDatabase } from "../storage/stateDatabase";
import { createLeadership, type Leadership } from "../tabs/leadership";
import { createNotingReducer } from "../tabs/streamedActions";
import { nameTab, otherTabs } from "../tabs/tab";
import { newUuid, sampleClocks } from "./ambient";
import { channelEventsOf, reportKeyLoss } from "./channelEvents";
import { type ChannelClient, openClient } from "./client";
import type { ShellConfig } from "./config";
import { collectDefects } from "./errorReporting";
import { type LogParts, logText, openLog, pruneOld } from "./log";
import { collectOutboxResults } from "./outboxResults";
import { continuedLogs, openPlaces, readIfPossible, readViewerState } from "./persist/places";
import { recover } from "./persist/recovery";
import { createWriter, type Writer } from "./persist/writer";
import { createPorts } from "./ports";
import { openLogStorage } from "./storages";

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
  /** The page goes away, perhaps for ever: it lets go of lock, socket and channel. */
  leave(): void;
  /** It is shown again. */
  comeBack(): void;
  /** The viewer sees it, or not. */
  visibilityChanged(): void;
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

const after = (ms: number, run: () => void): void => void setTimeout(run, ms);
/** Runs what may wait when nothing else is to be done. */
const whenQuiet = (run: () => void): void =>
  "requestIdleCallback" in window ? void window.requestIdleCallback(run) : after(200, run);
const isVisible = (): boolean => document.visibilityState === "visible";

/** Calls that may be under way while a leader resigns: they change nothing outside. */
const CALM = /^(clock\.|sync\.|api\.(get|list|search)|account\.)/;

/** Opens the page's session: recovers the state, begins the log, starts the sagas, and leads or follows. */
export async function openSession(parts: SessionParts): Promise<Session> {
  const { config, report } = parts;
  const { locks } = navigator;
  const named = await nameTab({ storage: sessionStorage, locks, newName: newUuid });
  const tab = named.name;
  const database = openStateDatabase();
  // What a newer build, or another leader, stored is for them to go on with.
  const places = openPlaces(database, tab, {
    superseded: () => leadership.yield(),
    newerBuild() {
      leadership.hide();
      parts.overtaken();
    },
  });
  const logParts: LogParts = {
    storage: openLogStorage(),
    log: newUuid(),
    tab,
    others: () => otherTabs(tab, locks),
    continued: () => continuedLogs(places),
  };

  let recorded: RecordedStore<RootState> | null = null;
  /** Nothing is stored, and nobody is told that it is, before this page knows what there was. */
  let opened: (writer: Writer) => void = () => undefined;
  const writing = new Promise<Writer>((resolve) => {
    opened = resolve;
  });
  const write = async (): Promise<void> => (await writing).write();
  const input = (origin: InputOrigin, action: UnknownAction): void => recorded?.input(origin, action);

  const broadcast = openBroadcast();
  const leadership: Leadership = createLeadership({
    wire: broadcast.of("leadership"),
    locks,
    page: logParts.log,
    state: () => recorded?.store.getState() ?? null,
    input,
    raise: () => database.lead(),
    isAlone: async () => (await otherTabs(tab, locks)).length === 0,
    stored: () => readViewerState(places),
    write,
    isCalm: () => recorded?.openCalls().every((call) => CALM.test(call)) ?? true,
    isVisible,
    after,
    now: () => performance.now(),
    report,
  });

  const found = await leadership.open();
  const [browser, ownSnapshot] = await Promise.all([
    readIfPossible(places.browser, report),
    readIfPossible(places.tab, report),
  ]);
  const recovered = await recover({
    program,
    scopes: SCOPES,
    browser,
    tab: ownSnapshot,
    unsound: unsoundSlices,
    readLog: (log) => logText({ ...logParts, log }),
    report,
  });
  const first = found.snapshot === null ? recovered?.state : { ...recovered?.state, ...found.snapshot.slices };

  const channelEvents = channelEventsOf(input, () => recorded?.store.getState());
  const client = await openClient(config, locks, database, broadcast, channelEvents);
  const defects = collectDefects((defect) => {
    report(defect);
    client.api.logDefect(defect, window.location.pathname);
  });
  const sink = openLog(logParts);
  const noting = createNotingReducer(program);

  /** Everything so far is durable, and folded by the leader. */
  async function flush(): Promise<void> {
    while ((recorded?.store.getState().tabs.pending.length ?? 0) > 0)
      await new Promise((next) => after(20, () => next(null)));
    await write();
  }

  /** Who leads hears it, and tells the others. */
  async function collect(): Promise<void> {
    if (leadership.isLeading()) await collectOutboxResults({ outbox: client.outbox, input, flush });
  }

  const ports = createPorts({
    ...client,
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
    ...(first ? { snapshot: first as RootState } : {}),
    report,
    idle: whenQuiet,
  });
  recorded = store;
  defects.watch({ subscribe: (listener) => void store.store.subscribe(listener), state: store.store.getState });
  const position = () => ({ log: logParts.log, seq: store.position() });
  const writer = createWriter({
    scopes: SCOPES,
    ...places,
    now: () => ({
      state: store.store.getState() as unknown as State,
      position: { ...position(), stream: leadership.position() },
    }),
    flushLog: () => store.flush(),
    leads: () => leadership.isLeading(),
    after,
    report,
  });
  opened(writer);
  // Whoever comes after this page finds its log by the snapshot's name for it.
  write().catch(report);

  store.store.subscribe(() => {
    leadership.turned(noting.take());
    writer.changed();
  });
  const { generation, seq } = leadership.position();
  input(
    "storage",
    tabActions.identified({ id: logParts.log, leads: leadership.isLeading(), visible: isVisible(), generation, seq }),
  );
  leadership.begin();
  after(10_000, () => void pruneOld(logParts, database.storage("snapshots")).catch(report));

  return {
    store: store.store,
    client,
    input,
    collect,
    keyLost: (how) => reportKeyLoss(how, client.api, channelEvents),
    write,
    leave() {
      write().catch(() => undefined);
      leadership.hide();
      named.leave();
      client.sync.close();
      broadcast.close();
      sink.close().catch(() => undefined);
    },
    comeBack() {
      named.comeBack();
      broadcast.open();
      leadership.show();
    },
    visibilityChanged: () => input("ui", tabActions.visibilityChanged({ visible: isVisible() })),
    log: logParts,
    flushLog: () => store.flush(),
  };
}
