/** Where the page's time, randomness and ids come from. `crypto.randomUUID` is not there on plain HTTP; this is. */
const bytes = (count: number): Uint8Array => crypto.getRandomValues(new Uint8Array(count));

/** The two clocks, read at once. */
export const sampleClocks = (): { at: number; mono: number } => ({
  at: Date.now(),
  mono: Math.round(performance.now() * 1000) / 1000,
});

/** A number of [0, 1), with 53 bits of chance. */
export function drawNumber(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return ((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53;
}

/** A UUIDv7 (RFC 9562): 48 bits of Unix milliseconds, then chance. */
export function newUuid(now: number = Date.now()): string {
  const id = bytes(16);
  for (let i = 0; i < 6; i++) id[i] = Math.floor(now / 2 ** (8 * (5 - i))) % 256;
  id[6] = 0x70 | ((id[6] ?? 0) & 0x0f);
  id[8] = 0x80 | ((id[8] ?? 0) & 0x3f);
  const hex = [...id].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

export const after = (ms: number, run: () => void): void => void setTimeout(run, ms);

/** Settles in the next task, so that a viewer is heard between two pieces of work; of a page that is not seen, at once. */
export const nextTask = (): Promise<void> =>
  isVisible() ? new Promise((resolve) => after(0, resolve)) : Promise.resolve();

/** How long one go of work that waits takes of a page's thread, milliseconds. */
const GO_MS = 4;
/** Work that waits is done at the latest after so long, milliseconds: what dies before then is lost. */
const AT_THE_LATEST_MS = 250;

/** Calls `run` when there is time; it goes on as long as there is some. A page that is not seen has nothing else to do. */
export function whenIdle(run: (goesOn: () => boolean) => void): void {
  const go = (): void => {
    const end = performance.now() + GO_MS;
    run(() => performance.now() < end);
  };
  if (isVisible() && "requestIdleCallback" in window) window.requestIdleCallback(go, { timeout: AT_THE_LATEST_MS });
  else after(0, go);
}

export const isVisible = (): boolean => document.visibilityState === "visible";

/** Whether the service worker of an earlier visit serves this page. */
export const wasHere = (): boolean => navigator.serviceWorker?.controller != null;
