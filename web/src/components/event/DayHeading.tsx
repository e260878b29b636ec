import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { capital } from "../../lib/capital";
import "./DayHeading.css";

interface DayHeadingProps {
  readonly now: number;
  /** Any time of the day. */
  readonly day: number;
  readonly count?: number;
  readonly level?: 2 | 3;
}

/** "Today Saturday, November 21". */
export function DayHeading({ now, day, count, level = 3 }: DayHeadingProps) {
  const { t } = useTexts();
  const formats = useFormats();
  const Heading = level === 2 ? "h2" : "h3";
  const apart = formats.daysApart(now, day);
  const near =
    apart === 0 ? t("day.today") : apart === 1 ? t("day.tomorrow") : apart === -1 ? t("day.yesterday") : null;
  const far = Math.abs(apart) > 300;
  return (
    <div className="day-heading">
      <Heading className="day-heading__name">{near ?? capital(formats.weekday(day))}</Heading>
      <span className="muted type-meta">
        {near ? formats.longDay(day) : far ? formats.date(day) : formats.day(day)}
      </span>
      {count !== undefined && (
        <span className="day-heading__count muted type-meta figures">{t("day.count", { count })}</span>
      )}
    </div>
  );
}
