import { serviceWorkers } from "./browserFeatures";

/** The page's time, randomness and ids. `crypto.randomUUID` is missing on plain HTTP; this works there. */
const bytes = (count: number): Uint8Array => crypto.getRandomValues(new Uint8Array(count));

/** Both clocks, read together. */
export const sampleClocks = (): { at: number; mono: number } => ({
  at: Date.now(),
  mono: Math.round(performance.now() * 1000) / 1000,
});

/** A number in [0, 1) with 53 random bits. */
export function drawNumber(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return ((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53;
}

/** A UUIDv7 (RFC 9562): 48 bits of Unix milliseconds, then random bits. */
export function newUuid(now: number = Date.now()): string {
  const id = bytes(16);
  for (let i = 0; i < 6; i++) id[i] = Math.floor(now / 2 ** (8 * (5 - i))) % 256;
  id[6] = 0x70 | ((id[6] ?? 0) & 0x0f);
  id[8] = 0x80 | ((id[8] ?? 0) & 0x3f);
  const hex = [...id].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

export const after = (ms: number, run: () => void): void => void setTimeout(run, ms);

/** Settles in the next task, so that input is handled between two pieces of work; at once in a hidden page. */
export const nextTask = (): Promise<void> =>
  isVisible() ? new Promise((resolve) => after(0, resolve)) : Promise.resolve();

/** Maximum duration of one slice of deferred work on a page's thread, in milliseconds. */
const SLICE_MS = 4;
/** Deadline of deferred work, in milliseconds: a crash loses at most this much. */
const MAX_DEFER_MS = 250;

/** Calls `run` when idle; it continues while there is time. A hidden page is always idle. */
export function whenIdle(run: (goesOn: () => boolean) => void): void {
  const runSlice = (): void => {
    const deadline = performance.now() + SLICE_MS;
    run(() => performance.now() < deadline);
  };
  if (isVisible() && "requestIdleCallback" in window) window.requestIdleCallback(runSlice, { timeout: MAX_DEFER_MS });
  else after(0, runSlice);
}

export const isVisible = (): boolean => document.visibilityState === "visible";

/** Whether the service worker of an earlier visit serves this page. */
export const isControlled = (): boolean => serviceWorkers()?.controller != null;
