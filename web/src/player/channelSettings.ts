/** What the channel's own settings file says of playing (SET-1). */
export interface PlayerSettings {
  /** Whether a live stream is followed as closely as it can be. */
  readonly low_latency?: boolean;
  /** The quality to begin with, the lowest is 0; -1 lets the player choose. */
  readonly start_level?: number;
}

const FILE = "/storage/settings/player.json";
/** Nobody waits longer for it, milliseconds. */
const PATIENCE = 2_000;
let kept: Promise<PlayerSettings> | null = null;

/** Takes of an answer what is of its kind; of anything else, nothing. */
export function read(answer: unknown): PlayerSettings {
  if (typeof answer !== "object" || answer === null) return {};
  const { low_latency, start_level } = answer as { [key: string]: unknown };
  return {
    ...(typeof low_latency === "boolean" ? { low_latency } : {}),
    ...(typeof start_level === "number" && Number.isInteger(start_level) && start_level >= -1 ? { start_level } : {}),
  };
}

/** The channel's settings of the player, asked for once a page; a channel without the file leaves all to the player. */
export function playerSettings(): Promise<PlayerSettings> {
  kept ??= fetch(FILE, { signal: AbortSignal.timeout(PATIENCE) })
    .then((answer) => (answer.ok ? answer.json() : {}))
    .then(read)
    .catch(() => {
      // An outage is no answer: the next stream asks again.
      kept = null;
      return {};
    });
  return kept;
}
