import { Link, useLocation, useSearchParams } from "react-router";
import { ButtonLink } from "../../components/basic/Button";
import { Icon } from "../../components/basic/Icon";
import { moveInRail, rememberPosition } from "../../components/rail/rails";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";

import { dayNamed, daysLater, startOf } from "./dates";
import type { Days } from "./useDays";
import { useWeekdays } from "./useWeekdays";
import "./DayStrip.css";

/** Number of visible days, and how many of them precede the selected one. */
const VISIBLE_DAYS = 7;
const BEFORE = 2;

interface DayStripProps {
  readonly days: Days;
  /** Selects a day; null for today. */
  readonly onDay: (date: string | null) => void;
}

/** Days around the selected one with their event counts, and a date picker (LIST-6). */
export function DayStrip({ days: { counts, today, named }, onDay }: DayStripProps) {
  const { t } = useTexts();
  const formats = useFormats();
  const weekdays = useWeekdays();
  const { pathname } = useLocation();
  const [params] = useSearchParams();
  const day = named ?? today;
  const to = (date: string | null) => {
    const next = new URLSearchParams(params);
    if (date === null) next.delete("date");
    else next.set("date", date);
    const query = next.toString();
    return query === "" ? pathname : `${pathname}?${query}`;
  };
  const visibleDays = Array.from({ length: VISIBLE_DAYS }, (_, at) => daysLater(day, at - BEFORE));
  const eventDays = counts === null ? [] : [...counts.keys()].sort();
  return (
    <nav className="day-strip" aria-label={t("schedule.days")}>
      <ButtonLink
        look="quiet"
        icon="chevronLeft"
        label={t("schedule.weekBefore")}
        to={to(daysLater(day, -VISIBLE_DAYS))}
      />
      <ol className="day-strip__days" data-rail="" onKeyDown={moveInRail} onFocus={rememberPosition}>
        {visibleDays.map((one) => {
          const count = counts === null ? null : (counts.get(one) ?? 0);
          const at = startOf(one);
          return (
            <li key={one} className="day-strip__cell" data-card="">
              <Link
                className={`day-strip__day${count === 0 ? " day-strip__day--none" : ""}${one < today ? " day-strip__day--over" : ""}`}
                data-stop=""
                to={to(one === today ? null : one)}
                aria-current={one === day ? "date" : undefined}
              >
                <span className="visually-hidden">
                  {one === today && `${t("day.today")}, `}
                  {formats.longDay(at)}
                  {count !== null && `, ${t("day.count", { count })}`}
                </span>
                <span className="day-strip__name" aria-hidden="true">
                  {one === today ? (
                    <>
                      <span className="only-compact">{t("day.todayShort")}</span>
                      <span className="only-wide">{t("day.today")}</span>
                    </>
                  ) : (
                    weekdays.weekday(at)
                  )}
                </span>
                <b className="day-strip__number figures" aria-hidden="true">
                  {new Date(at).getDate()}
                </b>
                <span className="day-strip__count figures" aria-hidden="true">
                  {count === null ? "\u00a0" : count === 0 ? "–" : formats.count(count)}
                </span>
              </Link>
            </li>
          );
        })}
      </ol>
      <ButtonLink
        look="quiet"
        icon="chevronRight"
        label={t("schedule.weekAfter")}
        to={to(daysLater(day, VISIBLE_DAYS))}
      />
      <ButtonLink look="quiet" className="day-strip__today" to={to(null)}>
        {t("day.today")}
      </ButtonLink>
      <label className="day-strip__jump">
        <span className="visually-hidden">{t("schedule.jump")}</span>
        <Icon name="calendar" />
        <input
          type="date"
          value={day}
          min={eventDays[0]}
          max={eventDays.at(-1)}
          onChange={(event) => {
            const chosen = dayNamed(event.target.value);
            if (chosen !== null) onDay(chosen === today ? null : chosen);
          }}
        />
      </label>
    </nav>
  );
}
