import { saveFile } from "../basic/saveFile";
import type { EventView } from "./eventView";
import { titleText } from "./FixtureName";

/** Assumed duration of an event without a known end. */
const LENGTH_MS = 2 * 3_600_000;

const escaped = (text: string) => text.replace(/[\\;,]/g, "\\$&").replace(/\n/g, "\\n");
const stamp = (ms: number) => new Date(ms).toISOString().replace(/[-:]|\.\d+/g, "");

/** The event as iCalendar text (RFC 5545). */
function calendarText(event: EventView, address: string, now: number): string {
  const { startsAt, endsAt } = event;
  return [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Touchline//EN",
    "BEGIN:VEVENT",
    `UID:${event.calendarId}`,
    `DTSTAMP:${stamp(now)}`,
    `DTSTART:${stamp(startsAt)}`,
    `DTEND:${stamp(endsAt > startsAt ? endsAt : startsAt + LENGTH_MS)}`,
    `SUMMARY:${escaped(titleText(event.title))}`,
    `LOCATION:${escaped(event.venue)}`,
    `URL:${address}`,
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ].join("\r\n");
}

/** Downloads the event as a file for the viewer's calendar. `now`, in Unix milliseconds, stamps it. */
export function calendarFile(event: EventView, now: number): void {
  const address = new URL(event.to, window.location.href).href;
  saveFile(`event-${event.id}.ics`, "text/calendar", calendarText(event, address, now));
}
