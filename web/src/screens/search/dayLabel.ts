import type { EventView } from "../../components/event/eventView";
import type { Formats } from "../../i18n/format";
import type { Translate } from "../../i18n/texts";

/** An event's day beside its time: "Live", "Today", "November 28". */
export function dayLabel({ status, startsAt }: EventView, now: number, formats: Formats, t: Translate): string {
  if (status === "live") return t("event.live");
  const apart = formats.daysApart(now, startsAt);
  if (apart === 0) return t("day.today");
  if (apart === 1) return t("day.tomorrow");
  if (apart === -1) return t("day.yesterday");
  return Math.abs(apart) > 300 ? formats.shortDate(startsAt) : formats.day(startsAt);
}
