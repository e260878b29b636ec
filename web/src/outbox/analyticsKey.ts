import { type AnalyticsItem, COUNT_PATH } from "../contracts/outbox";

/** Key prefix of analytics. The rest is their id, a UUIDv7, so keys sort by time. */
export const ANALYTICS = "analytics/";
/** Key prefix of counts, which a refusal doesn't discard. */
export const COUNTS = "counts/";

export const analyticsKeyOf = ({ id, payload: { path } }: AnalyticsItem): string =>
  (path === COUNT_PATH ? COUNTS : ANALYTICS) + id;
