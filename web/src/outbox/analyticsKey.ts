/** Analytics stand under this and their id, a UUIDv7: their order is that of their time. */
export const ANALYTICS = "analytics/";
