import { personalFields } from "../contracts/generated/personal";

/** What never passes the port: the fields that the contract marks `x-personal`, and keys. */
const personal: ReadonlySet<string> = new Set([...personalFields, "api_key"]);

/** A copy of an answer without its personal fields, at any depth. */
export function withoutPersonal<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutPersonal) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) => (personal.has(name) ? [] : [[name, withoutPersonal(part)]])),
  ) as T;
}
