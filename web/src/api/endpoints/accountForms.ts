import type { Device, LinkedLogin, Profile } from "../../contracts/resources";
import type { Handle } from "../../ports/calls";
import { withoutPersonal } from "../personal";
import { type Call, type Endpoints, hasField, read, readArray, send, submit, valuesOf } from "./endpoint";
import { signOut } from "./keysAndAuth";
import { storePerson } from "./profile";

export type AccountFormMethod =
  | "api.login"
  | "api.register"
  | "api.startSocialLogin"
  | "api.socialLogin"
  | "api.verifyEmail"
  | "api.requestVerification"
  | "api.requestPasswordReset"
  | "api.resetPassword"
  | "api.requestAccountDeletion"
  | "api.confirmAccountDeletion"
  | "api.addSession"
  | "api.deviceLogin"
  | "api.listSessions"
  | "api.revokeSession"
  | "api.unlinkLogin";

interface Signed {
  api_key: string;
  user: Profile;
}

const hasKey = hasField("api_key", "string");
const hasId = hasField("id", "number");
const isSigned = (data: unknown): boolean => hasKey(data) && hasId((data as Partial<Signed>).user);

/** Signing in and registering answer with a new key. */
async function signIn(call: Call, path: string, handle: Handle): Promise<Profile> {
  const signed = await call.keyring.rotating(async () => {
    const { api_key, user } = (await submit(call, path, handle, { rotates: true, fits: isSigned })) as Signed;
    await call.keys.change(({ channel_key }) => ({ channel_key, api_key, user_id: user.id }));
    return user;
  });
  await storePerson(call, signed);
  return withoutPersonal(signed);
}

/** A connected account opens the account as a device does, so it is listed with the devices. */
const asDevice = ({ provider, linked_at }: LinkedLogin, index: number): Device => ({
  id: -1 - index,
  name: provider,
  created_at: linked_at,
  last_seen_at: linked_at,
  current: false,
  provider,
});

export const accountForms: Endpoints<AccountFormMethod> = {
  "api.login": async ({ handle }, call) => signIn(call, "/v2/auth/login", handle),
  "api.register": async ({ handle }, call) => signIn(call, "/v2/auth/register", handle),
  async "api.startSocialLogin"({ provider }, call) {
    await call.keyring.renewEarly();
    return read<{ url: string }>(call, `/auth/social/${encodeURIComponent(provider)}/start`);
  },
  "api.socialLogin": async ({ provider, handle }, call) =>
    signIn(call, `/v2/auth/social/${encodeURIComponent(provider)}`, handle),
  async "api.verifyEmail"({ handle }, call) {
    await submit(call, "/auth/email-verify", handle);
    return null;
  },
  async "api.requestVerification"({ handle }, call) {
    await submit(call, "/auth/email-verify-request", handle);
    return null;
  },
  async "api.requestPasswordReset"({ handle }, call) {
    await submit(call, "/auth/password-reset-request", handle);
    return null;
  },
  async "api.resetPassword"({ handle }, call) {
    await submit(call, "/auth/password-reset", handle);
    return null;
  },
  async "api.requestAccountDeletion"({ handle }, call) {
    await submit(call, "/delete-account", handle);
    return null;
  },
  async "api.confirmAccountDeletion"({ handle }, call) {
    return call.keyring.rotating(async () => {
      const { email } = valuesOf(call, handle);
      await submit(call, "/delete-account-confirm", handle, { rotates: true });
      // The link may belong to a user other than this browser's.
      const { user_id } = await call.keys.read();
      if (user_id !== null && call.account.person()?.email !== email) return { other: true };
      await signOut(call);
      return null;
    });
  },
  async "api.addSession"({ handle }, call) {
    await submit(call, "/auth/add_session", handle);
    return null;
  },
  // The key stays the same: entering the code attaches it to the account.
  async "api.deviceLogin"({ handle }, call) {
    call.account.forget(handle);
    const user = (await send(call, { method: "GET", path: "/profile", skipLog: [401], fits: hasId })).data as Profile;
    await call.keyring.rotating(() => call.keys.change((now) => ({ ...now, user_id: user.id })));
    await storePerson(call, user);
    return withoutPersonal(user);
  },
  async "api.listSessions"(_, call) {
    const devices = await readArray<Device>(call, "/auth/sessions");
    const logins = await readArray<LinkedLogin>(call, "/auth/linked_logins");
    return [...devices, ...logins.map(asDevice)];
  },
  async "api.revokeSession"({ id }, call) {
    await send(call, { method: "DELETE", path: `/auth/sessions/${id}` });
    return null;
  },
  async "api.unlinkLogin"({ provider }, call) {
    await send(call, { method: "DELETE", path: `/auth/linked_logins/${encodeURIComponent(provider)}` });
    return null;
  },
};
