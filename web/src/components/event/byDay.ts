import type { EventView } from "./eventView";

/** Groups events by calendar day in the viewer's time zone, keeping their order. */
export function byDay(
  events: readonly EventView[],
  daysApart: (now: number, then: number) => number,
): readonly (readonly [EventView, ...EventView[]])[] {
  const days: [EventView, ...EventView[]][] = [];
  for (const event of events) {
    const last = days.at(-1);
    if (last && daysApart(last[0].startsAt, event.startsAt) === 0) last.push(event);
    else days.push([event]);
  }
  return days;
}
