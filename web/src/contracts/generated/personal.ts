// Generated from docs/openapi.json by `npm --prefix web run codegen`. Do not edit.

/** Fields of answers that the contract marks `x-personal`. */
export const personalFields = [
  "card_last4",
  "client_secret",
  "email",
  "first_name",
  "ip",
  "last4",
  "last_name",
  "phone"
] as const;

/** Fields of answers that the contract marks `x-secret`: they grant access to whoever has them. */
export const secretFields = [
  "download_url",
  "playback_url"
] as const;
