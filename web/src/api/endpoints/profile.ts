import type { Access, Profile } from "../../contracts/resources";
import type { Person } from "../account";
import { withoutPersonal } from "../personal";
import { type Call, type Endpoints, hasField, read, send, submit } from "./endpoint";

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** Stores the names and address of a profile, which never enter the state. */
export async function storePerson({ account }: Call, profile: object): Promise<void> {
  const { first_name, last_name, email, phone } = profile as { [name in keyof Person]?: unknown };
  await account.setPerson({
    first_name: text(first_name),
    last_name: text(last_name),
    email: text(email),
    phone: text(phone),
  });
}

const fits = hasField("id", "number");

async function storedProfile(call: Call, data: unknown): Promise<Profile> {
  await storePerson(call, data as Profile);
  return withoutPersonal(data as Profile);
}

export const profile: Endpoints<"api.getProfile" | "api.updateProfile" | "api.getUserAccess"> = {
  // A 401 of the profile is an answer (START-3); any other failure concerns the whole site.
  async "api.getProfile"(_, call) {
    const crash = { on: ["4xx", "5xx"], allow: [401], sparesPage: true } as const;
    const { data } = await send(call, { method: "GET", path: "/profile", crash, skipLog: [401], fits });
    return storedProfile(call, data);
  },
  async "api.updateProfile"({ handle }, call) {
    return storedProfile(call, await submit(call, "/profile", handle, { body: { _method: "patch" }, fits }));
  },
  "api.getUserAccess": (_, call) => read<Access>(call, "/user/access"),
};
