import type { Line, Origin } from "../eventlog/envelope";
import type { RootState } from "../slices";
import type { Recording } from "./recording";

/** The look of a machine's state on the timeline. */
export type Tone = "plain" | "good" | "waiting" | "bad";

/** A period in which a machine stays in one state. */
export interface Span {
  readonly at: string;
  readonly tone: Tone;
  readonly from: number;
  /** The position at which it leaves the state; one past the last if it never does. */
  readonly to: number;
}

/** One machine over the whole session. */
export interface Lane {
  readonly name: string;
  readonly spans: readonly Span[];
}

/** The state of the newest machine of a kind. */
const newest = (machines: Readonly<Record<string, { readonly at: string }>>): string | null =>
  Object.values(machines).at(-1)?.at ?? null;

/** The state that each lane displays; null for none. */
const LANES: readonly (readonly [name: string, at: (state: RootState) => string | null])[] = [
  ["startup", ({ startup }) => startup.at],
  ["auth", ({ auth }) => auth.at],
  ["connection", ({ connection }) => connection.at],
  ["purchase", ({ purchase }) => (purchase.at === "preparing" ? null : purchase.at)],
  ["autoRenew", ({ autoRenew }) => newest(autoRenew)],
  ["clip", ({ clip }) => newest(clip)],
  ["preroll", ({ preroll }) => (preroll.at === "idle" ? null : preroll.at)],
  ["analyticsSession", ({ analyticsSession }) => analyticsSession.at],
  ["outbox", ({ outbox }) => outbox.run.at],
  ["form", ({ form }) => newest(form)],
];

const TONES: Readonly<Record<string, Tone>> = {
  succeeded: "good",
  backoff: "waiting",
  draining: "waiting",
  expired: "waiting",
  interrupted: "waiting",
  mustChangePassword: "waiting",
  waiting: "waiting",
  failed: "bad",
  keyFailed: "bad",
  refused: "bad",
  rejected: "bad",
};

// A draining outbox is working; a draining connection is about to close.
const toneOf = (lane: string, at: string): Tone =>
  lane === "outbox" && at === "draining" ? "plain" : (TONES[at] ?? "plain");

export function layOutLanes({ states }: Recording): Lane[] {
  return LANES.map(([name, at]) => {
    const spans: Span[] = [];
    let from = 0;
    let now = at(states[0] as RootState);
    for (let position = 1; position <= states.length; position++) {
      const state = states[position];
      const next = state === undefined ? null : at(state);
      if (state !== undefined && next === now) continue;
      if (now !== null) spans.push({ at: now, tone: toneOf(name, now), from, to: position });
      from = position;
      now = next;
    }
    return { name, spans };
  });
}

/** An input from outside. */
export interface Arrival {
  readonly position: number;
  readonly origin: Exclude<Origin, "saga">;
  readonly type: string;
}

/** Inputs in order. */
export function arrivals(lines: readonly Line[]): Arrival[] {
  return lines.flatMap(({ kind, origin, type }, index) =>
    origin === "saga" || (kind !== "action" && kind !== "effect") ? [] : [{ position: index + 1, origin, type }],
  );
}
