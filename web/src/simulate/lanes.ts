import type { Line, Origin } from "../eventlog/envelope";
import type { RootState } from "../slices";
import type { Recording } from "./recording";

/** How a state of a machine looks on the timeline. */
export type Tone = "plain" | "good" | "waiting" | "bad";

/** A machine that stays in one state from one position to another. */
export interface Span {
  readonly at: string;
  readonly tone: Tone;
  readonly from: number;
  /** The position at which it has left; one past the last if it never does. */
  readonly to: number;
}

/** One machine over the whole session. */
export interface Lane {
  readonly name: string;
  readonly spans: readonly Span[];
}

/** The state of the newest of many machines of one kind. */
const newest = (machines: Readonly<Record<string, { readonly at: string }>>): string | null =>
  Object.values(machines).at(-1)?.at ?? null;

/** What each lane shows of a state; null where there is nothing to show. */
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

// An outbox that drains is at work; a connection that drains is about to be lost.
const toneOf = (lane: string, at: string): Tone =>
  lane === "outbox" && at === "draining" ? "plain" : (TONES[at] ?? "plain");

/** Every machine of a recorded session, as spans. */
export function layLanes({ states }: Recording): Lane[] {
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

/** Something that came in from outside. */
export interface Arrival {
  readonly position: number;
  readonly origin: Exclude<Origin, "saga">;
  readonly type: string;
}

/** What came in, in order. */
export function arrivals(lines: readonly Line[]): Arrival[] {
  return lines.flatMap(({ kind, origin, type }, index) =>
    origin === "saga" || (kind !== "action" && kind !== "effect") ? [] : [{ position: index + 1, origin, type }],
  );
}

/** Whether a line is meant by what was typed into the filter: each word must occur in what the line is. */
export function isMeant(line: Line, filter: string): boolean {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const text = `${line.kind} ${line.origin} ${line.type} ${"call" in line ? line.call : ""}`.toLowerCase();
  return words.every((word) => text.includes(word));
}
