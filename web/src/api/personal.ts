import { personalFields, secretFields } from "../contracts/generated/personal";

/** What never passes the port: the fields that the contract marks `x-personal` or `x-secret`, and keys. */
const personal: ReadonlySet<string> = new Set([...personalFields, ...secretFields, "api_key"]);

/** A copy of an answer without its personal and secret fields, at any depth. */
export function withoutPersonal<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutPersonal) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) => (personal.has(name) ? [] : [[name, withoutPersonal(part)]])),
  ) as T;
}
