/** Key prefix of analytics. The rest is their id, a UUIDv7, so keys sort by time. */
export const ANALYTICS = "analytics/";
