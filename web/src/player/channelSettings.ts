/** The channel's player settings file (SET-1). */
export interface PlayerSettings {
  /** Whether to stay as close to the live edge as possible. */
  readonly low_latency?: boolean;
  /** The initial quality, 0 for the lowest; -1 for automatic. */
  readonly start_level?: number;
}

const FILE = "/storage/settings/player.json";
/** Timeout in milliseconds. */
const TIMEOUT_MS = 2_000;
let cached: Promise<PlayerSettings> | null = null;

/** Picks the valid fields of a response. */
export function read(answer: unknown): PlayerSettings {
  if (typeof answer !== "object" || answer === null) return {};
  const { low_latency, start_level } = answer as { [key: string]: unknown };
  return {
    ...(typeof low_latency === "boolean" ? { low_latency } : {}),
    ...(typeof start_level === "number" && Number.isInteger(start_level) && start_level >= -1 ? { start_level } : {}),
  };
}

/** The channel's player settings, fetched once per page. A channel without the file uses the defaults. */
export function playerSettings(): Promise<PlayerSettings> {
  cached ??= fetch(FILE, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    .then((answer) => (answer.ok ? answer.json() : {}))
    .then(read)
    .catch(() => {
      // A failed request isn't cached: the next stream tries again.
      cached = null;
      return {};
    });
  return cached;
}
