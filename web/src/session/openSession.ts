import type { UnknownAction } from "@reduxjs/toolkit";
import type { KeyLoss } from "../api";
import type { InputOrigin, State } from "../eventlog/envelope";
import type { CallWatch } from "../eventlog/gate";
import { createRecordedStore, type RecordedStore } from "../eventlog/live";
import type { OtherTabsPort } from "../ports/otherTabs";
import { program } from "../sagas/program";
import { browserScoped, type RootState, tabScoped } from "../slices";
import { selectAnalyticsIdentity } from "../slices/analytics";
import { selectViewer } from "../slices/auth";
import { type Site, siteActions } from "../slices/site";
import { invalidSlices } from "../slices/stored";
import { tabActions } from "../slices/tabs";
import { createIdleCheck, type IdleCheck } from "../tabs/idleCheck";
import { createOtherTabs } from "../tabs/playback";
import { createNotingReducer } from "../tabs/streamedActions";
import { otherTabs } from "../tabs/tab";
import { after, drawNumber, isControlled, isVisible, newUuid, nextTask, sampleClocks, whenIdle } from "./ambient";
import { channelEventsOf, reportKeyLoss } from "./channelEvents";
import { type ChannelClient, openClient } from "./client";
import { watchClock } from "./clockWatch";
import type { ShellConfig } from "./config";
import { collectDefects } from "./errorReporting";
import { type LogDeps, logText, openLog } from "./log";
import { collectOutboxResults } from "./outboxResults";
import { openPageBase, type PageBase } from "./pageBase";
import { readIfPossible } from "./persist/locations";
import type { RecoveryDeps } from "./persist/recovery";
import { createWriter, type Writer } from "./persist/writer";
import { createPorts, type PortDeps } from "./ports";
import { watchReachability } from "./reachability";
import { referrerOf } from "./referrer";
import { watchSettled } from "./settled";

/** A page's session: its store and the services behind it. */
export interface Session {
  readonly store: RecordedStore<RootState>["store"];
  readonly client: ChannelClient;
  input(origin: InputOrigin, action: UnknownAction): void;
  /** Watches a load from the channel (CALL-14), without which the page isn't settled. */
  watchLoad(loading: Promise<unknown>): void;
  /** Delivers to the site the outcomes recorded while no page was open, or through the service worker. */
  collect(): Promise<void>;
  /** The user's key may be gone: checks, and notifies the store. */
  keyLost(how: KeyLoss): Promise<void>;
  /** Checks whether every tab can load again without losing anything; `isIdle` says so of this page. */
  idleCheck(isIdle: () => boolean): IdleCheck;
  readonly otherTabs: OtherTabsPort;
  /** Stores the current state. */
  write(): Promise<void>;
  /** The page closes, perhaps permanently: releases lock, socket and channel. */
  leave(): void;
  /** The page returns from the back-forward cache. */
  comeBack(): void;
  visibilityChanged(): void;
  readonly log: LogDeps;
  /** Settles once every line so far is stored. */
  flushLog(): Promise<void>;
}

export interface SessionDeps extends Pick<PortDeps, "openTagManager" | "tag" | "reload" | "openUrl"> {
  config: ShellConfig;
  /** The address that led to the site, from `document.referrer`. */
  referrer: string;
  /** The tracking value of the link that led here (NAV-6). */
  trk: string | null;
  /** A page of a newer build stores what this one did: later changes of this page are lost. */
  overtaken(): void;
  /** The browser opened its database late: a page that loads again uses it. */
  databaseOpened(): void;
  report(error: unknown): void;
}

const SCOPES = { browser: browserScoped, tab: tabScoped };

/** Delay before a page removes data left by earlier ones, in milliseconds. */
const PRUNE_AFTER_MS = 10_000;

/** Opens the page's session: recovers the state, starts the log and the sagas, and leads or follows. */
export async function openSession(deps: SessionDeps): Promise<Session> {
  const { config, report } = deps;
  if (isControlled()) void fetchRecovery().catch(() => undefined);
  const base = await openPageBase(deps);
  const { tab, log, database, broadcast, leadership, input, write } = base;
  const first = await recoverState(base, report);
  const channelEvents = channelEventsOf(input, () => base.recorded.value?.store.getState());
  const reachability = watchReachability({
    fetch: (address, init) => window.fetch(address, init),
    hostname: window.location.hostname,
    state: () => base.recorded.value?.store.getState(),
    input,
    now: () => Date.now(),
    draw: drawNumber,
  });
  const client = await openClient(config, base.locks, database, broadcast, channelEvents, reachability.fetch, () => {
    const state = base.recorded.value?.store.getState();
    return state ? selectAnalyticsIdentity(state) : null;
  });
  await nextTask();
  const settled = watchSettled({ now: Date.now, after, mark: markSettled });
  const { store, sink, collect } = openStore(base, client, first, settled, deps);
  input("ui", siteActions.opened({ ...siteOf(deps), trk: deps.trk }));
  reachability.begin((listener) => store.store.subscribe(listener));
  identify(base);
  leadership.begin();
  after(PRUNE_AFTER_MS, () => void pruneEarlierLogs(base).catch(report));

  return {
    store: store.store,
    client,
    input,
    watchLoad(loading) {
      reachability.watch(loading);
      settled.watch(loading);
    },
    collect,
    keyLost: (how) => reportKeyLoss(how, client.api, channelEvents),
    otherTabs: createOtherTabs(broadcast.of("playback")),
    idleCheck: (isIdle) =>
      createIdleCheck({
        wire: broadcast.of("calm"),
        tab: tab.name,
        otherTabs: () => otherTabs(tab.name, base.locks),
        isIdle,
        newId: newUuid,
        after,
      }),
    write,
    leave() {
      write().catch(() => undefined);
      leadership.hide();
      tab.leave();
      client.sync.close();
      broadcast.close();
      store.checkpoint();
      store.drain();
      sink.close().catch(() => undefined);
    },
    comeBack() {
      tab.comeBack();
      broadcast.open();
      leadership.show();
    },
    visibilityChanged: () => input("ui", tabActions.visibilityChanged({ visible: isVisible() })),
    log,
    flushLog() {
      // Covers the last lines of the exported file as well.
      store.checkpoint();
      // Somebody waits for the file: lines aren't left for idle moments, of which a busy page has few.
      store.drain();
      return store.flush();
    },
  };
}

/** LOG-4. The current state is stored first, so that later recovery uses this page's log. */
async function removeEarlierLogs({ log, write }: PageBase): Promise<void> {
  await write();
  await (await import("./earlierLogs")).removeEarlier(log);
}

async function pruneEarlierLogs({ log, database }: PageBase): Promise<void> {
  const { pruneOld } = await import("./earlierLogs");
  await pruneOld(log, database.storage("snapshots"));
}

/** The page's initial state: the stored one, overlaid by the leader's snapshot in a follower. */
async function recoverState(
  { leadership, locations: places, log }: PageBase,
  report: (error: unknown) => void,
): Promise<RootState | undefined> {
  const { snapshot } = await leadership.open();
  const [browser, ownSnapshot] = await Promise.all([
    readIfPossible(places.browser, report),
    readIfPossible(places.tab, report),
  ]);
  const stored = { browser, tab: ownSnapshot };
  const recovered = browser || ownSnapshot ? await recoverStored(stored, log, report) : undefined;
  if (snapshot === null) return recovered as RootState | undefined;
  return { ...recovered, ...snapshot.slices } as unknown as RootState;
}

const fetchRecovery = () => import("./persist/recovery");

/** A returning viewer's initial state; a first page loads none of this code. */
async function recoverStored(
  stored: Pick<RecoveryDeps, "browser" | "tab">,
  log: LogDeps,
  report: (error: unknown) => void,
): Promise<State | undefined> {
  const { recover } = await fetchRecovery();
  const readLog = (name: string): Promise<string | undefined> => logText({ ...log, log: name });
  const recovered = await recover({ ...stored, program, scopes: SCOPES, unsound: invalidSlices, readLog, report });
  return recovered?.state;
}

interface OpenStore {
  store: RecordedStore<RootState>;
  sink: ReturnType<typeof openLog>;
  collect(): Promise<void>;
}

/** Creates the store, starts its log and sagas, and from now on notifies leadership and writer of each turn. */
function openStore(
  base: PageBase,
  client: ChannelClient,
  first: RootState | undefined,
  settled: CallWatch,
  { config, report, openTagManager, tag, reload, openUrl }: SessionDeps,
): OpenStore {
  const { leadership } = base;
  const defects = collectDefects((defect) => {
    report(defect);
    client.api.logDefect(defect, window.location.pathname);
  });
  const sink = openLog(base.log);
  const noting = createNotingReducer(program);
  const flush = (): Promise<void> => flushAll(base);
  /** The leader receives it and tells the others. */
  const collect = async (): Promise<void> => {
    if (leadership.isLeading()) await collectOutboxResults({ outbox: client.outbox, input: base.input, flush });
  };
  const store = createRecordedStore<RootState>({
    program: { ...program, reducer: noting.reducer },
    ports: createPorts({ ...client, collect, flush, openTagManager, tag, reload, openUrl }),
    // After a jump of the clock, any answer provides the channel's time.
    sample: watchClock(sampleClocks, () =>
      after(0, () => void client.api.transport.send({ method: "GET", path: "/geo" }).catch(() => undefined)),
    ),
    header: {
      build: config.build,
      channel: config.channelKey,
      locale: config.language,
      window: [window.innerWidth, window.innerHeight],
    },
    sink,
    ...(first ? { snapshot: first } : {}),
    report,
    idle: whenIdle,
    defer: whenIdle,
    watch: settled,
  });
  base.recorded.resolve(store);
  defects.watch({ subscribe: (listener) => void store.store.subscribe(listener), state: store.store.getState });
  const writer = openWriter(base, store, report);
  base.writer.resolve(writer);
  // The next page finds this log by its name in the snapshot.
  base.write().catch(report);
  let viewer = selectViewer(store.store.getState());
  store.store.subscribe(() => {
    leadership.turned(noting.take());
    writer.changed();
    const before = viewer;
    viewer = selectViewer(store.store.getState());
    if (before === null || before === viewer) return;
    sink.restart(store.position());
    void removeEarlierLogs(base).catch(report);
  });
  return { store, sink, collect };
}

/** Journeys wait for this mark instead of a time. */
const markSettled = (isSettled: boolean): void =>
  void document.documentElement.toggleAttribute("data-settled", isSettled);

function openWriter(
  { log, leadership, locations: places }: PageBase,
  store: RecordedStore<RootState>,
  report: (error: unknown) => void,
): Writer {
  return createWriter({
    scopes: SCOPES,
    ...places,
    now: () => ({
      state: store.store.getState() as unknown as State,
      position: { log: log.log, seq: store.position(), stream: leadership.position() },
    }),
    flushLog: () => store.flush(),
    leads: () => leadership.isLeading(),
    after,
    report,
  });
}

/** Settles once everything so far is durable, and folded by the leader. */
async function flushAll({ recorded, write }: PageBase): Promise<void> {
  while ((recorded.value?.store.getState().tabs.pending.length ?? 0) > 0)
    await new Promise((next) => after(20, () => next(null)));
  await write();
}

/** The site facts in each recorded event. */
function siteOf({ config: { channelKey, language, build }, referrer }: SessionDeps): Site {
  const from = referrerOf(referrer, window.location.origin);
  return { channel: channelKey, language, app_version: build, referrer: from };
}

/** Tells the store which of the browser's pages this is. */
function identify({ log, leadership, input }: PageBase): void {
  const { generation, seq } = leadership.position();
  const leads = leadership.isLeading();
  input("storage", tabActions.identified({ id: log.log, leads, visible: isVisible(), generation, seq }));
}
