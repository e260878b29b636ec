/** Icons as stroked paths on a 24 × 24 grid; those in `FILLED` are filled instead. */
export const ICONS = {
  alert: "M3.5 12a8.5 8.5 0 1 0 17 0a8.5 8.5 0 1 0-17 0M12 7.500v5.500M12 16.300v.2",
  calendar: "M4 6h16v14H4zM4 10.500h16M8.500 3.500V8M15.500 3.500V8",
  card: "M3 6h18v12.500H3zM3 10h18M6.500 15h4",
  check: "M5 12.500l4.500 4.500L19 7.500",
  chevronDown: "M5.500 9.500L12 16l6.500-6.500",
  chevronLeft: "M14.500 5.500L8 12l6.500 6.500",
  chevronRight: "M9.500 5.500L16 12l-6.500 6.500",
  clip: "M3.700 6.500a2.800 2.800 0 1 0 5.600 0a2.800 2.800 0 1 0-5.600 0M3.700 17.500a2.800 2.800 0 1 0 5.600 0a2.800 2.800 0 1 0-5.600 0M9 8l11 9M9 16l11-9",
  clock: "M3.500 12a8.500 8.500 0 1 0 17 0a8.500 8.500 0 1 0-17 0M12 7v5l3.500 2",
  close: "M6 6l12 12M18 6L6 18",
  download: "M12 4v11M7.500 11l4.500 4.500 4.500-4.500M4.500 20h15",
  film: "M4 5h16v14H4zM8 5v14M16 5v14M4 9.700h4M4 14.300h4M16 9.700h4M16 14.300h4",
  heart: "M12 20C5 15.500 3.500 12 3.500 9A4.500 4.500 0 0 1 12 7a4.500 4.500 0 0 1 8.500 2c0 3-1.500 6.500-8.500 11z",
  home: "M4 11l8-7 8 7v9h-5.500v-5.500h-5V20H4z",
  info: "M3.500 12a8.500 8.500 0 1 0 17 0a8.500 8.500 0 1 0-17 0M12 11v5.500M12 7.700v.2",
  lock: "M5.500 11h13v9h-13zM8.500 11V8a3.500 3.500 0 0 1 7 0v3",
  offline:
    "M4 4l16 16M8 10.500A6 6 0 0 1 9 10M5 13a10 10 0 0 1 2-1.500M12 8.500a10 10 0 0 1 7 3M3 9.500a13 13 0 0 1 3-2M10.500 5.600A13 13 0 0 1 21 9.500M12 18.500v.2",
  pause: "M8 5v14M16 5v14",
  play: "M7 4.500v15l12-7.500z",
  refresh: "M20 5v5h-5M19.500 10A8 8 0 1 0 20 13.500",
  search: "M4.500 11a6.500 6.500 0 1 0 13 0a6.500 6.500 0 1 0-13 0M16 16l4.500 4.500",
  share: "M12 15V4M8 7.500L12 3.500l4 4M5 12v8h14v-8",
  user: "M8 8a4 4 0 1 0 8 0a4 4 0 1 0-8 0M4.500 20c1-4 4-6 7.500-6s6.500 2 7.500 6",
} as const;

export type IconName = keyof typeof ICONS;
/** An icon that is defined next to its only use. */
export interface Drawing {
  readonly path: string;
}

export const FILLED: ReadonlySet<IconName | Drawing> = new Set<IconName>(["play"]);
