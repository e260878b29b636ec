import type { UnknownAction } from "@reduxjs/toolkit";
import { pageOpened } from "../../src/app/pages";
import type { OutboxItem, OutboxOutcome } from "../../src/contracts/outbox";
import type { Bootstrap, Profile } from "../../src/contracts/resources";
import type { InputOrigin } from "../../src/eventlog/envelope";
import { createRecordedStore, type RecordedStore } from "../../src/eventlog/live";
import { createStrictEffects } from "../../src/eventlog/strict";
import { createTextSink } from "../../src/eventlog/testing/session";
import { createRandom, createVirtualTime, type VirtualTime } from "../../src/eventlog/testing/virtual-time";
import { onAbsentMove } from "../../src/machines/machine";
import { PortError } from "../../src/ports/error";
import { program } from "../../src/sagas/program";
import { analyticsActions } from "../../src/slices/analytics";
import { selectPages } from "../../src/slices/catalogue";
import { connectionInputs } from "../../src/slices/connection";
import type { RootState } from "../../src/slices/index";
import { outboxInputs } from "../../src/slices/outbox";
import { type Query, queryActions } from "../../src/slices/queries";
import { siteActions } from "../../src/slices/site";
import { tabActions, tabs } from "../../src/slices/tabs";
import { type Catalogue, type ChannelKey, readCatalogue } from "./catalogue";
import { createScriptedWorker, failures, type ScriptedWorker } from "./worker";

/** 21 November 2026, 18:00 UTC: the start of every recorded session. */
const BEGAN = 1_795_284_000_000;

/** Idle time after which a page counts as idle, in milliseconds. */
const QUIET_MS = 30;

/** A visit's initial conditions. */
export interface VisitSetup {
  readonly channel?: ChannelKey;
  readonly locale?: string;
  /** Channel settings that differ from the demo's. */
  readonly settings?: Partial<Bootstrap["settings"]>;
  readonly seed?: number;
  /** The user of this browser's key; null: an anonymous key; absent: none. */
  readonly user?: Profile | null;
  /** The state that a page load recovers. */
  readonly snapshot?: RootState;
  /** Names this page, and says whether it leads. */
  readonly tab?: { readonly id: string; readonly leads: boolean };
  /** The viewer's clock error, in milliseconds. */
  readonly clockError?: (elapsed: number) => number;
  /** Minimum and maximum latency of an answer, in milliseconds. */
  readonly latency?: readonly [number, number];
  /** Latencies are multiples of this: the larger, the more answers share a tick. */
  readonly quantum?: number;
  /** Shared with another visit of the same realm. */
  readonly time?: VirtualTime;
  /** Starts on a device that refuses tracking. */
  readonly doNotTrack?: boolean;
  /** Replaces a port's answer; undefined: answers. For random sessions. */
  readonly override?: (method: string, answer: () => unknown) => unknown;
  /** Receives errors of turns, and absent moves. A recording must have neither. */
  readonly report?: (error: unknown) => void;
  /** Absent: at every idle moment, so that short-lived states are compared too. */
  readonly checkpointEvery?: number;
  /** Characters of lines after which a snapshot starts a new segment; absent: never. */
  readonly segment?: number;
}

/** A recorded session of a scripted viewer with a scripted worker. */
export interface Visit {
  readonly live: RecordedStore<RootState>;
  readonly worker: ScriptedWorker;
  readonly time: VirtualTime;
  readonly catalogue: Catalogue;
  /** Dispatches actions of the viewer. */
  does(...actions: UnknownAction[]): void;
  /** Dispatches an outside input. */
  input(origin: InputOrigin, action: UnknownAction): void;
  /** Opens a page: its address and its reads. The previous page's reads are dropped. */
  opens(path: string, ...reads: Query[]): void;
  /** Advances time. */
  passes(ms: number): Promise<void>;
  /** The socket closes by itself. */
  dropsSocket(code?: number): void;
  goesOffline(): void;
  comesOnline(): void;
  state(): RootState;
  /** The log so far, with a final checkpoint. */
  log(): string;
}

/** Starts a visit by loading the page. */
export function beginVisit(setup: VisitSetup = {}): Visit {
  const { channel = "northfield", locale = "en", seed = 1, latency = [60, 220], clockError = () => 0 } = setup;
  const faults: unknown[] = [];
  const { report = (error: unknown) => void faults.push(error) } = setup;
  const { time = createVirtualTime(), quantum = 1 } = setup;
  const random = createRandom(seed);
  const demo = readCatalogue(channel, BEGAN);
  const { bootstrap } = demo;
  const settings = { ...bootstrap.settings, ...setup.settings };
  const catalogue: Catalogue = { ...demo, bootstrap: { ...bootstrap, settings } };
  const sink = createTextSink(setup.segment);
  let socket = false;
  let online = true;
  let reads: readonly Query[] = [];
  let uuids = 0;

  const wall = (): number => BEGAN + time.now() + clockError(time.now());
  const lag = (): number => Math.round((latency[0] + random() * (latency[1] - latency[0])) / quantum) * quantum;
  const after = (ms: number, run: () => void): void => void time.at(time.now() + ms, run);

  function answered(item: OutboxItem, outcome: OutboxOutcome): void {
    const { at: _, user_id: __, ...seen } = item;
    if (seen.kind !== "analytics") input("storage", outboxInputs.itemAnswered({ ...seen, outcome } as never));
  }

  const worker = createScriptedWorker(
    { catalogue, user: setup.user ?? null, hasKey: setup.user !== undefined },
    {
      now: wall,
      after,
      push: (status) => input("sync", connectionInputs.statusReceived(status)),
      isListening: () => socket,
      listen: () => {
        socket = true;
      },
      answered,
    },
  );

  function answer(method: string, args: object): unknown {
    const local = !/^(api|payments|sync\.connect)/.test(method);
    if (!online && !local) throw new PortError(failures.network);
    const make = (): unknown => worker.answer(method, args);
    return setup.override ? setup.override(method, make) : make();
  }

  onAbsentMove(report);
  const live = createRecordedStore<RootState>({
    program,
    header: { build: "0.1.0", channel, locale },
    sink,
    report,
    // Like a browser's idle callback: soon after the current work.
    idle: (run) => after(QUIET_MS, run),
    // A forbidden effect of a saga fails the recording, not its replay years later.
    effectMiddlewares: [createStrictEffects()],
    sample: () => ({ at: wall(), mono: time.now() }),
    checkpointEvery: setup.checkpointEvery ?? 3,
    ...(setup.snapshot ? { snapshot: { ...setup.snapshot, tabs: tabs.getInitialState() } } : {}),
    ports: {
      draw: () => random(),
      newId: () => {
        uuids += 1;
        return `0195c000-0000-7000-8000-${String(uuids).padStart(12, "0")}`;
      },
      call: (method, args, signal) =>
        new Promise((resolve, reject) => {
          const wait = method === "clock.sleep" ? (args as { ms: number }).ms : lag();
          // A socket is closed as soon as requested, and reported a little later.
          if (method === "sync.close") socket = false;
          const undo = time.at(time.now() + wait, () => {
            if (worker.isSilent(method)) return;
            try {
              resolve(method === "clock.sleep" ? null : answer(method, args));
            } catch (error) {
              reject(error);
            }
          });
          signal.addEventListener("abort", undo, { once: true });
        }),
    },
  });

  function input(origin: InputOrigin, action: UnknownAction): void {
    live.input(origin, action);
  }

  input(
    "ui",
    siteActions.opened({
      channel,
      language: locale,
      app_version: "0.1.0",
      referrer: "https://news.example",
    }),
  );
  input("storage", tabActions.identified(setup.tab ?? { id: "tab-1", leads: true }));
  input(
    "ui",
    analyticsActions.deviceKnown({
      device_type: "mobile",
      user_agent: "Mozilla/5.0 (Android 16; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0",
      resolution: "412x915",
      origin_url: `https://${channel}.example`,
      do_not_track: setup.doNotTrack ?? false,
    }),
  );

  return {
    live,
    worker,
    time,
    catalogue,
    does: (...actions) => {
      for (const action of actions) live.store.dispatch(action);
    },
    input,
    opens(path, ...wanted) {
      const { pathname, search } = new URL(path, "https://site.example");
      const action = pageOpened({ pathname, search }, selectPages(live.store.getState()), (text) => text);
      if (!action) throw new Error(`unknown page ${path}`);
      input("ui", action);
      for (const read of reads) live.store.dispatch(queryActions.left(read));
      for (const read of wanted) live.store.dispatch(queryActions.wanted(read));
      reads = wanted;
    },
    async passes(ms) {
      await time.pass(time.now() + ms);
      // A recorded session must be a possible one.
      if (faults.length > 0) throw faults[0];
    },
    dropsSocket(code = 1006) {
      socket = false;
      input("sync", connectionInputs.closed({ code }));
    },
    goesOffline() {
      online = false;
      worker.reachable = false;
      socket = false;
      input("ui", connectionInputs.wentOffline());
    },
    comesOnline() {
      online = true;
      worker.reachable = true;
      input("ui", connectionInputs.cameOnline());
      input("ui", outboxInputs.nudged());
    },
    state: () => live.store.getState(),
    log() {
      live.checkpoint();
      return sink.text();
    },
  };
}
