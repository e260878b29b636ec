import { personalFields, secretFields } from "../contracts/generated/personal";

/** Fields that never pass the port: those marked `x-personal` or `x-secret` in the contract, and keys. */
const personal: ReadonlySet<string> = new Set([...personalFields, ...secretFields, "api_key"]);

/** Copies an answer without its personal and secret fields, at any depth. */
export function withoutPersonal<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutPersonal) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) => (personal.has(name) ? [] : [[name, withoutPersonal(part)]])),
  ) as T;
}
