/** Fields of answers that the contract marks `x-personal`, and the keys among them. */
const personal: ReadonlySet<string> = new Set([
  "api_key",
  "client_secret",
  "email",
  "first_name",
  "ip",
  "last4",
  "last_name",
  "phone",
]);

/** A copy of an answer without its personal fields, at any depth. */
export function withoutPersonal<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutPersonal) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) => (personal.has(name) ? [] : [[name, withoutPersonal(part)]])),
  ) as T;
}
