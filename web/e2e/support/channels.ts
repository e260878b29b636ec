import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FIXTURES = join(import.meta.dirname, "../../../fixtures/channels");

/** A channel folder's event, as far as a test sets it. */
export type EventRecord = Record<string, unknown> & { id: number };

/** A copy of the demo's channels that a test changes. */
export interface ChannelFolder {
  readonly path: string;
  /** Reads a file of the demo channel. */
  read<T extends object>(file: string): T;
  /** Writes a file of the demo channel. */
  write(file: string, content: unknown): void;
  /** Changes an event; the worker picks it up within some seconds. */
  setEvent(id: number, change: (event: EventRecord) => EventRecord): void;
  remove(): void;
}

/** Copies the demo's channels without prerolls, so that the requested video plays at once. */
export function copiedChannels(): ChannelFolder {
  const path = mkdtempSync(join(tmpdir(), "touchline-channels-"));
  cpSync(FIXTURES, path, { recursive: true });
  writeFileSync(join(path, "northfield/prerolls.json"), "[]");
  const file = join(path, "northfield/events.json");
  return {
    path,
    read: (name) => JSON.parse(readFileSync(join(path, "northfield", name), "utf8")),
    write: (name, content) => writeFileSync(join(path, "northfield", name), JSON.stringify(content)),
    setEvent(id, change) {
      const events = JSON.parse(readFileSync(file, "utf8")) as EventRecord[];
      writeFileSync(`${file}.new`, JSON.stringify(events.map((event) => (event.id === id ? change(event) : event))));
      renameSync(`${file}.new`, file);
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** A public event that started a minute ago, with this medium. */
export const freeAndLive =
  (medium: Record<string, unknown>) =>
  ({ starts_in_s: _, starts_on: __, single_event_package_id: ___, ...event }: EventRecord): EventRecord => ({
    ...event,
    access_type: "free",
    type: "other",
    base_price: 0,
    service_fee: 0,
    event_utc_ts: Math.floor(Date.now() / 1000) - 60,
    duration_s: 7200,
    media: [medium],
  });
