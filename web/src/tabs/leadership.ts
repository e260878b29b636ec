import type { UnknownAction } from "@reduxjs/toolkit";
import type { InputOrigin } from "../eventlog/envelope";
import type { RootState } from "../slices";
import { viewerScoped } from "../slices";
import { type StreamPosition, tabActions } from "../slices/tabs";
import { createLeaderLock, type LeaderLocks } from "./leaderLock";
import type { Message, PlainAction, Slices, ViewerState, Wire } from "./messages";

export interface LeadershipDeps {
  readonly wire: Wire;
  /** Absent on plain HTTP: each page leads itself. */
  readonly locks: LeaderLocks | undefined;
  /** Names this page. */
  readonly page: string;
  /** null before there is a store. */
  state(): RootState | null;
  input(origin: InputOrigin, action: UnknownAction): void;
  /**
   * Whether no other page is open: then only the service worker can hold the lock, to send items of an earlier page.
   */
  isAlone(): Promise<boolean>;
  /** Raises the generation: later writes by pages of earlier generations are refused. */
  raise(): Promise<number>;
  /** The stored viewer slices; null without any. */
  stored(): Promise<ViewerState | null>;
  /** Stores this page's state. */
  write(): Promise<void>;
  /** Whether no call of the viewer's processes is open. */
  isIdle(): boolean;
  isVisible(): boolean;
  after(ms: number, run: () => void): void;
  /** Milliseconds; never decreases. */
  now(): number;
  report(error: unknown): void;
}

/** This page's role among its browser's pages: leader or follower. */
export interface Leadership {
  /** Leads if no page does, and follows otherwise. Returns the leader's snapshot to a follower. */
  open(): Promise<{ leads: boolean; generation: number; snapshot: ViewerState | null }>;
  /** The store exists from now on. */
  begin(): void;
  /** Called after each turn. `actions`: the actions that followers fold. */
  turned(actions: readonly PlainAction[]): void;
  /** Whether this page writes the viewer's slices. */
  isLeading(): boolean;
  /** The stream position of the current state. */
  position(): StreamPosition;
  /** Another page leads, or is about to: this one stops writing. */
  yield(): void;
  /** The page closes or is frozen: it releases everything. */
  hide(): void;
  /** The page returns. */
  show(): void;
}

/** Time without a message of the leader after which a page replaces it. */
const SILENCE_LIMIT_MS = 1_000;
/** Interval of reposting unanswered intents. */
const REPEAT_MS = 250;
/** Time that a page is visible beside a hidden leader before it asks the leader to resign. */
const HANDOVER_AFTER_MS = 5_000;
/** Interval at which a leader asked to resign checks whether it can. */
const RESIGN_POLL_MS = 100;
/** Time for which the lock is reserved for the requesting page. */
const HANDOVER_MS = 1_000;
/** A leader that didn't run for this long may have been replaced. */
const FROZEN_MS = 3_000;
/** Pause of intents after that, in which its lock or a new leader's message clears the doubt. */
const UNSURE_MS = 250;

const isNewer = (a: StreamPosition, b: StreamPosition): boolean =>
  a.generation > b.generation || (a.generation === b.generation && a.seq > b.seq);

export function createLeadership(deps: LeadershipDeps): Leadership {
  const { wire, locks, page, input, after, now, report } = deps;
  const post = (message: Message): void => wire.postMessage(message);
  let leads = !locks;
  /** The page is hidden: it neither posts nor receives. */
  let isAway = false;
  let position: StreamPosition = { generation: 0, seq: 0 };
  /** Since when this page waits for a message of the leader. */
  let silentSince: number | null = null;
  let isSyncing = false;
  let isRepeating = false;
  let posted: ReadonlySet<string> = new Set();
  let visibleSince = now();
  /** The last time this page ran, as far as recorded, and the end of the time in which it may have been replaced. */
  let ranAt = now();
  let unsureUntil = 0;
  /** A message of the leader arrived while there was no store yet. */
  let isBehind = false;
  let isResigning = false;
  let hiddenSince: number | null = null;
  let opened: ((found: { leads: boolean; snapshot: ViewerState | null }) => void) | null = null;

  const viewerState = (): Slices => {
    const state = deps.state();
    return state === null ? {} : Object.fromEntries(viewerScoped.map((name) => [name, state[name]]));
  };
  const snapshot = (): Message => ({ t: "snapshot", ...position, slices: viewerState() });

  const lock = locks && createLeaderLock({ locks, after, gained: () => void lead().catch(report), lost: stopLeading });

  /** This page holds the lock. It continues from the newer state: its folded stream, or the stored one. */
  async function lead(): Promise<void> {
    if (opened !== null) return finishOpening({ leads: true, snapshot: null });
    const { generation, stored } = await claim();
    if (!hasLock() || deps.state() === null) return;
    const slices = stored !== null && isNewer(stored, position) ? stored.slices : undefined;
    position = { generation, seq: 0 };
    leads = true;
    isSyncing = false;
    silentSince = null;
    input("storage", tabActions.led({ ...position, ...(slices === undefined ? {} : { slices }) }));
    post(snapshot());
    deps.write().catch(report);
  }

  let holdsLock = false;
  const hasLock = (): boolean => holdsLock && !isAway;

  async function claim(): Promise<{ generation: number; stored: ViewerState | null }> {
    holdsLock = true;
    const raised = await deps.raise().catch((error: unknown) => {
      report(error);
      return 0;
    });
    // A full disk stores no new number. Followers ignore the stream of an old one.
    const generation = Math.max(raised, position.generation + 1);
    const stored = await deps.stored().catch(() => null);
    return { generation, stored };
  }

  function stopLeading(): void {
    holdsLock = false;
    const was = leads;
    leads = false;
    if (was) input("storage", tabActions.resigned(position));
    if (!isAway) {
      lock?.waitForLock();
      sync();
    }
  }

  function finishOpening(found: { leads: boolean; snapshot: ViewerState | null }): void {
    const end = opened;
    opened = null;
    end?.(found);
  }

  /** Requests a snapshot from the leader. */
  function sync(): void {
    if (leads || isAway) return;
    isSyncing = true;
    expectMessage();
    post({ t: "sync", page });
    repeat();
  }

  function expectMessage(): void {
    silentSince ??= now();
  }

  const pending = () => deps.state()?.tabs.pending ?? [];

  /** Reposts unanswered intents, and replaces a silent leader. */
  function repeat(): void {
    if (isRepeating) return;
    isRepeating = true;
    after(REPEAT_MS, () => {
      isRepeating = false;
      if (leads || isAway || holdsLock) return;
      if (!isSyncing && pending().length === 0) return;
      if (silentSince !== null && now() - silentSince >= SILENCE_LIMIT_MS) {
        silentSince = null;
        lock?.steal();
      } else {
        expectMessage();
        if (isSyncing) post({ t: "sync", page });
        for (const { id, action } of pending()) post({ t: "intent", id, action: action as PlainAction });
      }
      repeat();
    });
  }

  /** Whether this page was frozen a moment ago. */
  function isUnsure(): boolean {
    if (now() - ranAt > FROZEN_MS) unsureUntil = now() + UNSURE_MS;
    ranAt = now();
    return now() < unsureUntil;
  }

  /** A leader answers only once it can fold: not before it has a store. */
  const answersAsLeader = (): boolean => leads && deps.state() !== null;

  function receive(message: Message): void {
    if (isAway) return;
    switch (message.t) {
      case "intent":
        return receiveIntent(message);
      case "heard":
        if (message.page === page) silentSince = null;
        return;
      case "stream":
        return receiveStream(message);
      case "sync":
        if (answersAsLeader()) post(snapshot());
        return;
      case "snapshot":
        return receiveSnapshot(message);
      case "resign":
        return leads && !isResigning ? resignTo(message.page) : undefined;
      case "resigned":
        if (message.page === page) lock?.steal();
        return;
    }
  }

  function receiveIntent(message: Extract<Message, { t: "intent" }>): void {
    if (!answersAsLeader()) return;
    if (isUnsure()) return after(UNSURE_MS, () => receiveIntent(message));
    const { id, action } = message;
    post({ t: "heard", page: id.slice(0, id.lastIndexOf("/")) });
    if (deps.state()?.answers.answered.includes(id)) post(snapshot());
    else input("ui", tabActions.intentReceived({ id, action }));
  }

  /** A page that was frozen and replaced learns it here before its lock reports it. */
  function isOvertaken({ generation }: StreamPosition): boolean {
    if (!leads) return false;
    if (generation > position.generation) stopLeading();
    return leads;
  }

  /** Before its store exists a page can fold nothing: it requests a snapshot when it starts. */
  function markBehind(): void {
    isBehind = true;
  }

  function receiveStream(message: Extract<Message, { t: "stream" }>): void {
    const { t: _, ...update } = message;
    if (isOvertaken(update) || opened !== null || !isNewer(update, position)) return;
    if (deps.state() === null) return markBehind();
    if (update.generation !== position.generation || update.seq !== position.seq + 1)
      return isSyncing ? undefined : sync();
    silentSince = null;
    position = { generation: update.generation, seq: update.seq };
    input(
      "storage",
      tabActions.streamReceived({ ...update, actions: [...update.actions], answers: [...update.answers] }),
    );
  }

  function receiveSnapshot({ t: _, ...update }: Extract<Message, { t: "snapshot" }>): void {
    if (isOvertaken(update)) return;
    if (update.generation < position.generation) return;
    silentSince = null;
    if (opened === null && deps.state() === null) return markBehind();
    if (!isSyncing && update.generation === position.generation && update.seq <= position.seq) return;
    isSyncing = false;
    position = { generation: update.generation, seq: update.seq };
    if (opened !== null) finishOpening({ leads: false, snapshot: update });
    else input("storage", tabActions.snapshotReceived({ ...update }));
  }

  const isHiddenLong = (): boolean => hiddenSince !== null && now() - hiddenSince >= HANDOVER_AFTER_MS;

  /** Waits until none of its processes' calls is open, so that the next leader repeats none. */
  function resignTo(next: string): void {
    if (!leads || !isHiddenLong()) return;
    isResigning = !deps.isIdle();
    if (isResigning)
      return after(RESIGN_POLL_MS, () => {
        isResigning = false;
        resignTo(next);
      });
    leads = false;
    input("storage", tabActions.resigned(position));
    deps.write().catch(report);
    post({ t: "resigned", page: next });
    // That page may be gone: then the next one gets it.
    after(HANDOVER_MS, () => {
      if (leads || !holdsLock) return;
      holdsLock = false;
      lock?.release();
      lock?.waitForLock();
    });
  }

  /** Moves leadership to the visible page, without haste. */
  function followVisibility(): void {
    isUnsure();
    const isOnScreen = deps.isVisible() && !isAway;
    if (isOnScreen) hiddenSince = null;
    else hiddenSince ??= now();
    if (!isOnScreen) visibleSince = now();
    else if (!leads && now() - visibleSince >= HANDOVER_AFTER_MS) {
      visibleSince = now();
      post({ t: "resign", page });
    }
    after(1_000, followVisibility);
  }

  if (locks) wire.onmessage = ({ data }) => receive(data as Message);

  return {
    async open() {
      if (!lock) return { leads: true, generation: 0, snapshot: null };
      for (;;) {
        if (!(await lock.acquire())) {
          lock.waitForLock();
          const found = await new Promise<{ leads: boolean; snapshot: ViewerState | null }>((resolve) => {
            opened = resolve;
            sync();
            deps.isAlone().then((isAlone) => {
              if (isAlone && opened !== null) lock.steal();
            }, report);
          });
          if (!found.leads) return { leads: false, generation: position.generation, snapshot: found.snapshot };
        }
        const { generation } = await claim();
        // Another page took the lock meanwhile.
        if (!hasLock()) continue;
        position = { generation, seq: 0 };
        leads = true;
        isSyncing = false;
        silentSince = null;
        return { leads: true, generation, snapshot: null };
      }
    },
    begin() {
      if (!locks) return;
      ranAt = now();
      if (leads) post(snapshot());
      // It acquired the lock, or missed a message, while it had no store.
      else if (holdsLock) void lead().catch(report);
      else if (isBehind) sync();
      after(1_000, followVisibility);
    },
    turned(actions) {
      if (!locks || isAway) return;
      if (!leads) {
        const waiting = pending();
        const unposted = waiting.filter(({ id }) => !posted.has(id));
        posted = new Set(waiting.map(({ id }) => id));
        if (unposted.length === 0) return;
        expectMessage();
        for (const { id, action } of unposted) post({ t: "intent", id, action: action as PlainAction });
        repeat();
        return;
      }
      if (actions.length === 0) return;
      const answers = actions.flatMap((action) => (tabActions.intentReceived.match(action) ? [action.payload.id] : []));
      position = { ...position, seq: position.seq + 1 };
      const streamed = actions.filter((action) => !tabActions.intentReceived.match(action));
      post({ t: "stream", ...position, actions: streamed, answers });
    },
    isLeading: () => leads,
    position: () => position,
    yield() {
      if (!leads) return;
      lock?.release();
      stopLeading();
    },
    hide() {
      if (!lock || isAway) return;
      isAway = true;
      holdsLock = false;
      lock.release();
      if (!leads) return;
      leads = false;
      input("storage", tabActions.resigned(position));
    },
    show() {
      if (!lock || !isAway) return;
      isAway = false;
      silentSince = null;
      visibleSince = now();
      lock.waitForLock();
      sync();
    },
  };
}
