/** Locale formats for money, dates and durations. Pure: the time and the time zone are arguments. */

import { decimalsOf, inUnits } from "../lib/currency";

const DAY_MS = 86_400_000;

/** Formats for one language. `zone` is an IANA time zone and defaults to the viewer's. */
export interface Formats {
  /** Minor units (cents) of a currency: `$7.99`. */
  money(minor: number, currency: string): string;
  /** `8:00 PM`. */
  time(ms: number): string;
  /** `8:00` and `PM`; the second part is empty where the language counts to 24. */
  timeParts(ms: number): readonly [string, string];
  /** `8:00:46`: the time without `AM` or `PM`. */
  clock(ms: number): string;
  /** `Saturday, November 21`. */
  longDay(ms: number): string;
  /** `November 21`. */
  day(ms: number): string;
  /** `November 21, 2026`. */
  date(ms: number): string;
  /** `Nov 21, 2026`. */
  shortDate(ms: number): string;
  /** `Saturday`. */
  weekday(ms: number): string;
  /** Calendar days between two times: 0 for today, 1 for tomorrow, -1 for yesterday. */
  daysApart(now: number, then: number): number;
  /** `just now`, `41 min ago`, `2 h 5 min ago`, `in 3 days`. */
  relative(now: number, then: number): string;
  /** `2 h 14 min`, `19 h`, `3 days`. */
  span(ms: number): string;
  /** `in 2 h 14 min`. */
  until(ms: number): string;
  /** `1:47:20`, `8:42`. */
  duration(seconds: number): string;
  /** `64%`. */
  percent(share: number): string;
  /** `1,204`. */
  count(value: number): string;
  /** `Central Standard Time`. */
  zoneName(ms: number): string;
  /** `Canada` for `CA`; the code itself if it has no name. */
  country(code: string): string;
  /** `08/28`. */
  cardExpiry(month: number, year: number): string;
}

/** Lazy: creating a formatter takes about 12 ms on a phone, and a page uses few. */
function once<T>(make: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= make();
    return value;
  };
}

function onceEach<T>(make: (key: string) => T): (key: string) => T {
  const values = new Map<string, T>();
  return (key) => {
    const existing = values.get(key);
    if (existing !== undefined) return existing;
    const fresh = make(key);
    values.set(key, fresh);
    return fresh;
  };
}

const zoned = (language: string, zone: string | undefined, options: Intl.DateTimeFormatOptions) =>
  once(() => new Intl.DateTimeFormat(language, zone === undefined ? options : { ...options, timeZone: zone }));

/** `1:47:20`, `8:42`, `0:05` in every language. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (value: number) => String(value).padStart(2, "0");
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

const formatters = new Map<string, Formats>();

/** Returns the cached formats of `language` (an IETF tag: `en`, `fr-CA`). */
export function formatsFor(language: string, zone?: string): Formats {
  const key = `${language} ${zone ?? ""}`;
  const existing = formatters.get(key);
  if (existing) return existing;
  const formats = makeFormats(language, zone);
  formatters.set(key, formats);
  return formats;
}

function makeFormats(language: string, zone: string | undefined): Formats {
  const time = zoned(language, zone, { hour: "numeric", minute: "2-digit" });
  const clock = zoned(language, zone, { hour: "numeric", minute: "2-digit", second: "2-digit" });
  const longDay = zoned(language, zone, { weekday: "long", month: "long", day: "numeric" });
  const day = zoned(language, zone, { month: "long", day: "numeric" });
  const date = zoned(language, zone, { year: "numeric", month: "long", day: "numeric" });
  const shortDate = zoned(language, zone, { year: "numeric", month: "short", day: "numeric" });
  const weekday = zoned(language, zone, { weekday: "long" });
  const zoneName = zoned(language, zone, { timeZoneName: "longGeneric" });
  const calendar = zoned("en", zone, { year: "numeric", month: "2-digit", day: "2-digit" });
  const units = {
    minute: once(() => new Intl.NumberFormat(language, { style: "unit", unit: "minute", unitDisplay: "short" })),
    hour: once(() => new Intl.NumberFormat(language, { style: "unit", unit: "hour", unitDisplay: "short" })),
    day: once(() => new Intl.NumberFormat(language, { style: "unit", unit: "day", unitDisplay: "long" })),
  };
  const unit = (value: number, name: keyof typeof units) => units[name]().format(value);
  const amount = onceEach((currency) => {
    const digits = decimalsOf(currency);
    return new Intl.NumberFormat(language, {
      style: "currency",
      currency,
      currencyDisplay: "narrowSymbol",
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
  });
  const percent = once(() => new Intl.NumberFormat(language, { style: "percent" }));
  const count = once(() => new Intl.NumberFormat(language));
  const noon = (ms: number) => {
    const parts = Object.fromEntries(
      calendar()
        .formatToParts(ms)
        .map(({ type, value }) => [type, Number(value)]),
    );
    return Date.UTC(parts.year ?? 1970, (parts.month ?? 1) - 1, parts.day ?? 1, 12);
  };

  // English abbreviates hours as "hr"; scoreboards use "h".
  const hours = (value: number) => (language.startsWith("en") ? `${value} h` : unit(value, "hour"));
  const span = (ms: number) => {
    const minutes = Math.max(1, Math.round(ms / 60_000));
    if (minutes < 60) return unit(minutes, "minute");
    if (minutes < 10 * 60) {
      const rest = minutes % 60;
      return rest === 0 ? hours(minutes / 60) : `${hours(Math.floor(minutes / 60))} ${unit(rest, "minute")}`;
    }
    if (minutes < 48 * 60) return hours(Math.round(minutes / 60));
    return unit(Math.round(minutes / (24 * 60)), "day");
  };

  return {
    money: (minor, currency) => amount(currency).format(inUnits(minor, currency)),
    time: (ms) => time().format(ms),
    timeParts(ms) {
      const parts = time().formatToParts(ms);
      const half = parts.find(({ type }) => type === "dayPeriod")?.value ?? "";
      const rest = parts.filter(({ type }) => type !== "dayPeriod").map(({ value }) => value);
      return [rest.join("").trim(), half];
    },
    clock: (ms) =>
      clock()
        .formatToParts(ms)
        .filter(({ type }) => type !== "dayPeriod")
        .map(({ value }) => value)
        .join("")
        .trim(),
    longDay: (ms) => longDay().format(ms),
    day: (ms) => day().format(ms),
    date: (ms) => date().format(ms),
    shortDate: (ms) => shortDate().format(ms),
    weekday: (ms) => weekday().format(ms),
    daysApart: (now, then) => Math.round((noon(then) - noon(now)) / DAY_MS),
    relative(now, then) {
      if (then <= now && now - then < 60_000) return language.startsWith("fr") ? "à l’instant" : "just now";
      const away = span(Math.abs(then - now));
      if (language.startsWith("fr")) return then > now ? `dans ${away}` : `il y a ${away}`;
      return then > now ? `in ${away}` : `${away} ago`;
    },
    span,
    until: (ms) => (language.startsWith("fr") ? `dans ${span(ms)}` : `in ${span(ms)}`),
    duration,
    percent: (share) => percent().format(share),
    count: (value) => count().format(value),
    zoneName: (ms) =>
      zoneName()
        .formatToParts(ms)
        .find(({ type }) => type === "timeZoneName")?.value ?? "",
    country: (code) => {
      try {
        return new Intl.DisplayNames(language, { type: "region" }).of(code) ?? code;
      } catch {
        // Not a country code.
        return code;
      }
    },
    cardExpiry: (month, year) => `${String(month).padStart(2, "0")}/${String(year % 100).padStart(2, "0")}`,
  };
}
