/** `Sat, Nov 21` in the viewer's time zone. */
export const shortDay = (language: string, ms: number): string =>
  new Intl.DateTimeFormat(language, { weekday: "short", month: "short", day: "numeric" }).format(ms);
