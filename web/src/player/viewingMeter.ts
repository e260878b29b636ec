import type { ReportedState, ReportReason, ViewingReport } from "../contracts/viewing";
import type { PlayerEvent } from "./playback";

interface MeterOptions {
  /** A monotonic clock in milliseconds. */
  readonly clock: () => number;
  /** Time of the viewer's press, by that clock. */
  readonly pressedAt: number;
  /** Displayed share of the preceding spot in percent, a multiple of 25; null if there was none. */
  readonly spot: number | null;
  readonly report: (report: ViewingReport) => void;
}

export interface ViewingMeter {
  take(event: PlayerEvent): void;
  /** Reports the data collected so far. */
  tick(): void;
  /** The viewer leaves. */
  leave(): void;
}

/** Maximum stretches of heights and bitrates in a report; the last ones count most. */
const MAX_SPANS = 40;
/** Maximum errors that are reported individually. */
const ERRORS = 20;

interface QualitySpan {
  readonly height: number;
  readonly kbps: number;
  ms: number;
}

/** Starts measuring. The first report says that the player started. */
export function createViewingMeter({ clock, pressedAt, spot, report }: MeterOptions): ViewingMeter {
  let sn = 0;
  let state: ReportedState = "s";
  let startup: number | null = null;
  let watched = 0;
  let rebuffers = 0;
  let rebuffered = 0;
  let errors = 0;
  let stretches: QualitySpan[] = [];
  let since = clock();
  let host: string | null = null;
  let dropped: number | null = null;
  let behind: number | null = null;

  /** Assigns the time since the last call to the current state. */
  function count(): void {
    const now = clock();
    const ms = Math.max(0, now - since);
    since = now;
    if (state === "r") rebuffered += ms;
    if (state !== "p") return;
    watched += ms;
    const stretch = stretches.at(-1);
    if (stretch) stretch.ms += ms;
  }

  function send(e: ReportReason, more: ViewingReport["keys"] = {}): void {
    report({
      sn: sn++,
      e,
      sta: state,
      keys: {
        v: 2,
        ...(startup === null ? {} : { msd: Math.round(startup) }),
        bsa: [rebuffers],
        bsda: [Math.round(rebuffered)],
        "com.touchline-watched": Math.round(watched),
        ...(stretches.length === 0 ? {} : { "com.touchline-shown": stretches.map(formatStretch).join(" ") }),
        ...(dropped === null ? {} : { dfa: dropped }),
        ...(behind === null ? {} : { ltc: Math.round(behind * 1000) }),
        ...(host === null ? {} : { cdn: host }),
        ...(spot === null ? {} : { "com.touchline-spot": spot }),
        ...more,
      },
    });
  }

  function become(next: ReportedState): void {
    count();
    if (next === state) return;
    if (next === "r") rebuffers += 1;
    state = next;
    send("ps");
  }

  send("ps");

  return {
    take(event) {
      switch (event.kind) {
        case "firstFrame":
          startup ??= clock() - pressedAt;
          return become("p");
        case "played":
        case "stallEnded":
          return become("p");
        case "stalled":
          return become("r");
        case "paused":
          return become("a");
        case "ended":
          return become("e");
        case "failed":
          return become("f");
        case "qualityChanged": {
          count();
          const { height, bitrate } = event;
          stretches = [...stretches, { height, kbps: Math.round(bitrate / 1000), ms: 0 }].slice(-MAX_SPANS);
          // The first one belongs to the start.
          if (stretches.length > 1) send("bc");
          return;
        }
        case "faulted":
          errors += 1;
          count();
          if (errors <= ERRORS)
            send("e", { ec: [event.status === null ? event.cause : `${event.cause}_${event.status}`] });
          return;
        case "opened":
          host = event.host;
          return;
        case "progressed":
          ({ dropped, behind } = event);
          return;
        case "seeked":
          return;
        default:
          event satisfies never;
      }
    },
    tick() {
      count();
      if (state === "p" || state === "r" || state === "s") send("t");
    },
    leave() {
      count();
      if (state === "e" || state === "f") return;
      state = "q";
      send("ps");
    },
  };
}

const formatStretch = ({ height, kbps, ms }: QualitySpan): string => `${height}:${kbps}:${Math.round(ms)}`;
