/** Durations in milliseconds (LIM-5). */
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/**
 * Whether what lives for `lifetime` milliseconds and ends at `expiresAt` is valid at `at`. An end that is further away
 * was set while the device's clock was ahead. A minute may be the difference of two tabs' turns, or a correction.
 */
export const isValid = (expiresAt: number, at: number, lifetime: number): boolean =>
  expiresAt > at && expiresAt - at <= lifetime + MINUTE;
