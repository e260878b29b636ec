import type { UnknownAction } from "@reduxjs/toolkit";
import { STALE_HEADER } from "../api";
import { step } from "../machines/machine";
import { reachability as machine, QUIET_MS, type ReachabilityFacts, SILENCE_MS } from "../machines/reachability";
import type { RootState } from "../slices";
import { connectionInputs } from "../slices/connection";
import { selectOnline } from "../slices/network";
import { outboxInputs } from "../slices/outbox";
import { reachabilityInputs } from "../slices/reachability";

/** Longest time between two probes in the first minute of doubt, and later, in milliseconds. */
const PROBE_MS = 1_800;
const LATE_PROBE_MS = 9_000;
const FIRST_MS = 60_000;
/** A body that brings fewer bytes within a silence may as well have stopped. */
const PROGRESS_BYTES = 1_024;
/** Longest delay of the first probe after a lost socket: a worker that stops loses all its pages at once. */
const SOCKET_JITTER_MS = 1_000;
/** Number of answers whose durations show how slow the line is, and the longest silence that they excuse. */
const RECENT_ANSWERS = 8;
const MAX_SILENCE_MS = 10_000;

export interface ReachabilityDeps {
  fetch: typeof fetch;
  hostname: string;
  /** Undefined before there is a store. */
  state(): RootState | undefined;
  input(origin: "api", action: UnknownAction): void;
  now(): number;
  /** A random number in [0, 1). */
  draw(): number;
}

export interface ReachabilityWatch {
  /** `fetch` for the channel's calls. */
  readonly fetch: typeof fetch;
  /** Watches another load from the channel. The service worker may answer it, so that its end proves nothing. */
  watch(loading: Promise<unknown>): void;
  /** Starts watching the browser and the socket, once there is a store. */
  begin(subscribe: (listener: () => void) => unknown): void;
}

const INPUTS: { readonly [fact in keyof ReachabilityFacts]: () => UnknownAction } = {
  suspected: () => reachabilityInputs.suspected(),
  answered: () => reachabilityInputs.answered(),
  wentOffline: () => connectionInputs.wentOffline(),
  cameOnline: () => connectionInputs.cameOnline(),
};

/** Whether the channel itself answered, not the service worker's cache, a proxy or a captive portal. */
const isFromChannel = ({ headers }: Response): boolean =>
  !headers.has(STALE_HEADER) && (headers.has("x-request-id") || /\bjson\b/i.test(headers.get("content-type") ?? ""));

/** The duration of the document's request, in milliseconds: the first answer on a slow line. */
function documentDuration(): number {
  const [entry] = performance.getEntriesByType?.("navigation") ?? [];
  const { requestStart = 0, responseEnd = 0 } = (entry ?? {}) as Partial<PerformanceNavigationTiming>;
  return responseEnd - requestStart;
}

/**
 * CALL-14. Watches the calls of a page, its socket and the browser's reports, and probes the channel while in doubt. An
 * unreachable channel is a lost network for every process and screen, and its return is the network's.
 */
export function watchReachability({ fetch, hostname, state, input, now, draw }: ReachabilityDeps): ReachabilityWatch {
  let pending = 0;
  let durations = [documentDuration()];
  let doubtedAt = 0;
  let silence: ReturnType<typeof setTimeout> | undefined;
  let nextProbe: ReturnType<typeof setTimeout> | undefined;

  const current = () => state()?.reachability ?? machine.initial;

  /** Records a fact that changes the state. */
  function move(fact: keyof ReachabilityFacts): void {
    const before = current();
    if (step(machine, before, fact, undefined) === before) return;
    if (before.at === "reachable") doubtedAt = now();
    input("api", INPUTS[fact]());
    if (fact === "cameOnline") input("api", outboxInputs.nudged());
    clearTimeout(nextProbe);
    if (current().at === "unsure") probe();
    else planProbe();
  }

  /** Confirms a doubt. */
  function lose(): void {
    if (current().at === "unsure") move("wentOffline");
  }

  /** A slow line is silent for longer. */
  const silenceLimit = (): number => Math.min(MAX_SILENCE_MS, Math.max(SILENCE_MS, 2 * Math.max(...durations)));

  /** Starts measuring silence if an answer is pending. */
  function listen(): void {
    clearTimeout(silence);
    silence = undefined;
    if (pending === 0) return;
    silence = setTimeout(() => {
      move("suspected");
      silence = setTimeout(() => {
        silence = undefined;
        lose();
      }, silenceLimit() - QUIET_MS);
    }, QUIET_MS);
  }

  function answered(duration: number): void {
    const { at } = current();
    if (at !== "unreachable") durations = [...durations, duration].slice(-RECENT_ANSWERS);
    if (isInDoubt()) move(at === "unsure" ? "answered" : "cameOnline");
    listen();
  }

  function settle(): void {
    pending -= 1;
    if (pending === 0) listen();
  }

  /** Reads an answer's body, which may stop halfway. While it arrives, the line isn't silent. */
  async function follow(body: Response["body"]): Promise<void> {
    try {
      let received = 0;
      const reader = body?.getReader();
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
        received += part.value.length;
        if (received < PROGRESS_BYTES) continue;
        received = 0;
        listen();
      }
    } finally {
      settle();
    }
  }

  async function observe(failed: () => void, ...[address, init]: Parameters<typeof fetch>): Promise<Response> {
    const sentAt = now();
    pending += 1;
    if (pending === 1) listen();
    try {
      const response = await fetch(address, init);
      if (isFromChannel(response)) answered(now() - sentAt);
      else failed();
      void follow(response.clone().body).catch(() => undefined);
      return response;
    } catch (error) {
      if (!init?.signal?.aborted) failed();
      settle();
      throw error;
    }
  }

  /** The settings file of the host is small, unlimited, and cached by nobody. */
  function probe(): void {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), 2 * probeInterval());
    observe(lose, `/keys/${encodeURIComponent(hostname)}.json`, { cache: "no-store", signal: controller.signal })
      .catch(() => undefined)
      .finally(() => clearTimeout(timer));
    planProbe();
  }

  const probeInterval = (): number => (now() - doubtedAt < FIRST_MS ? PROBE_MS : LATE_PROBE_MS);

  function planProbe(): void {
    clearTimeout(nextProbe);
    // Half of it is drawn, so that pages that lost the channel together don't return together.
    if (isInDoubt()) nextProbe = setTimeout(probe, probeInterval() * (0.5 + draw() / 2));
  }

  /** The browser reports the return of a network that it reported lost. */
  function isInDoubt(): boolean {
    const state = current();
    return state.at === "unsure" || (state.at === "unreachable" && !state.reported);
  }

  function check(): void {
    if (!navigator.onLine) move("wentOffline");
    else if (isInDoubt()) probe();
    else move("cameOnline");
  }

  return {
    fetch: (address, init) => observe(() => move("suspected"), address, init),
    watch(loading) {
      pending += 1;
      if (pending === 1) listen();
      loading.catch(() => move("suspected")).then(settle);
    },
    begin(subscribe) {
      const first = state();
      // The stored state is of a page that was left without a network.
      if (navigator.onLine && first && !selectOnline(first)) input("api", INPUTS.cameOnline());
      check();
      window.addEventListener("offline", check);
      window.addEventListener("online", check);
      window.addEventListener("pageshow", check);
      document.addEventListener("visibilitychange", check);
      const socket = () => state()?.connection.at;
      let isLost = false;
      subscribe(() => {
        const wasLost = isLost;
        isLost = socket() === "backoff";
        // The next attempt may start earlier.
        const suspect = (): void => void (socket() !== "live" && move("suspected"));
        if (isLost && !wasLost) setTimeout(suspect, SOCKET_JITTER_MS * draw());
      });
    },
  };
}
