import { saveFile } from "../basic/saveFile";

export interface CalendarEntry {
  readonly id: number;
  readonly title: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly location: string;
}

/** Assumed duration of an event without a known end. */
const LENGTH_MS = 2 * 3_600_000;

const escaped = (text: string) => text.replace(/[\\;,]/g, "\\$&").replace(/\n/g, "\\n");
const stamp = (ms: number) => new Date(ms).toISOString().replace(/[-:]|\.\d+/g, "");

/** The entry as iCalendar text (RFC 5545). */
function calendarText(entry: CalendarEntry, address: string, now: number): string {
  return [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Touchline//EN",
    "BEGIN:VEVENT",
    `UID:event-${entry.id}@${new URL(address).hostname}`,
    `DTSTAMP:${stamp(now)}`,
    `DTSTART:${stamp(entry.at)}`,
    `DTEND:${stamp(entry.at + LENGTH_MS)}`,
    `SUMMARY:${escaped(entry.title)}`,
    `LOCATION:${escaped(entry.location)}`,
    `URL:${address}`,
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ].join("\r\n");
}

/** Downloads the entry as a file for the viewer's calendar. `now`, in Unix milliseconds, stamps it. */
export function calendarFile(entry: CalendarEntry, now: number): void {
  const address = new URL(`/watch/${entry.id}`, window.location.href).href;
  saveFile(`event-${entry.id}.ics`, "text/calendar", calendarText(entry, address, now));
}
