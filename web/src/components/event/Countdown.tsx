import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { useNow } from "../basic/now";
import "./Countdown.css";

interface CountdownProps {
  /** Unix milliseconds. */
  readonly until: number;
  /** `ink` is for pictures. */
  readonly look?: "tone" | "ink";
}

const SECOND = 1_000;
const two = (value: number) => String(value).padStart(2, "0");

/** A countdown to an event: days and hours, then hours, minutes and seconds. */
export function Countdown({ until, look = "tone" }: CountdownProps) {
  const { t } = useTexts();
  const formats = useFormats();
  const now = useNow(SECOND);
  const secondsToGo = Math.max(0, Math.ceil((until - now) / SECOND));
  const [days, hours] = [Math.floor(secondsToGo / 86_400), Math.floor(secondsToGo / 3_600) % 24];
  const [minutes, seconds] = [Math.floor(secondsToGo / 60) % 60, secondsToGo % 60];
  if (secondsToGo === 0) return <p className="countdown__now">{t("countdown.now")}</p>;
  const cells =
    days > 0
      ? [
          [String(days), t("countdown.days", { count: days })],
          [two(hours), t("countdown.hours", { count: hours })],
          [two(minutes), t("countdown.min")],
        ]
      : [
          [two(hours), t("countdown.hours", { count: hours })],
          [two(minutes), t("countdown.min")],
          [two(seconds), t("countdown.sec")],
        ];
  return (
    // A live region would announce every second. Role `timer` is silent, and its label can be read on demand.
    <div
      className={`countdown countdown--${look} figures`}
      role="timer"
      aria-label={t("countdown.label", { time: formats.span(secondsToGo * SECOND) })}
    >
      {cells.map(([value, name]) => (
        <span className="countdown__cell" key={name} aria-hidden="true">
          {value}
          <small>{name}</small>
        </span>
      ))}
    </div>
  );
}
