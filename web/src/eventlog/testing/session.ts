import { PortError } from "../../ports/error";
import { blobLine } from "../blobLine";
import type { Header } from "../envelope";
import type { CallSignal, Ports } from "../gate";
import { createRecordedStore, type RecordedStore, type RecordedStoreOptions } from "../live";
import type { Sink } from "../recorder";
import { type ProbeState, probeProgram } from "./probe-program";
import { createVirtualTime, type VirtualTime } from "./virtual-time";

/** A sink that collects its log as text. */
export interface TextSink extends Sink {
  text(): string;
  /** The lines so far, including the header. */
  lines(): number;
}

/**
 * Collects a log in memory. After `segment` characters it requests a snapshot, like a sink that starts a new segment.
 */
export function createTextSink(segment = Number.POSITIVE_INFINITY): TextSink {
  const texts: string[] = [];
  const blobs = new Map<string, string>();
  let grown = 0;
  return {
    begin: (_header: Header, text: string) => void texts.push(text),
    write(line) {
      texts.push(line.text);
      grown = line.kind === "snapshot" ? 0 : grown + line.text.length;
      for (const { hash, text } of line.blobs) blobs.set(hash, text);
    },
    holds: (hash) => blobs.has(hash),
    wants: () => (grown >= segment ? "snapshot" : "nothing"),
    flush: () => Promise.resolve(),
    lines: () => texts.length,
    text: () =>
      [...texts, ...[...blobs].map(([hash, text]) => blobLine(hash, text))].map((text) => `${text}\n`).join(""),
  };
}

export type Answering = (method: string, args: Record<string, unknown>, signal: CallSignal) => unknown;

export interface ProbeSession extends RecordedStore<ProbeState> {
  readonly sink: TextSink;
  readonly time: VirtualTime;
  readonly reported: unknown[];
  log(): string;
}

/** The wall clock's start in every test. */
export const BEGAN = 1_790_000_000_000;

export interface SessionSetup extends Partial<Omit<RecordedStoreOptions<ProbeState>, "sink" | "ports" | "sample">> {
  readonly time?: VirtualTime;
  /** The viewer's clock error, in milliseconds. */
  readonly clockError?: () => number;
  readonly answer?: Answering;
  readonly draw?: () => number;
}

/** Sleeps on virtual time; `answer` handles everything else. */
export function portsOn(time: VirtualTime, answer: Answering, draw: () => number): Ports {
  let ids = 0;
  return {
    draw,
    newId: () => `01890000-0000-7000-8000-${String(++ids).padStart(12, "0")}`,
    call(method, args, signal) {
      if (method !== "clock.sleep") return answer(method, args as Record<string, unknown>, signal);
      return new Promise((resolve) => {
        const undo = time.at(time.now() + (args as { ms: number }).ms, () => resolve(null));
        signal.addEventListener("abort", undo);
      });
    },
  };
}

/** A port without a connection. */
export const away = (): never => {
  throw new PortError({ code: "network", message: "The network is away", retryable: true });
};

export function startSession(setup: SessionSetup = {}): ProbeSession {
  const { time = createVirtualTime(), clockError = () => 0, answer = away, draw = () => 0.5, ...options } = setup;
  const sink = createTextSink();
  const reported: unknown[] = [];
  const live = createRecordedStore({
    program: probeProgram,
    header: { build: "test", channel: "northfield", locale: "en" },
    report: (error) => void reported.push(error),
    ...options,
    sink,
    ports: portsOn(time, answer, draw),
    sample: () => ({ at: BEGAN + time.now() + clockError(), mono: time.now() }),
  });
  return {
    ...live,
    sink,
    time,
    reported,
    log() {
      live.checkpoint();
      return sink.text();
    },
  };
}
