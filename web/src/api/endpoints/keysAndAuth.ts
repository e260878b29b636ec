import { type Call, type Endpoints, send } from "./endpoint";

/** Forgets the signed-in user, at least in this browser. */
export async function signOut({ keys, account }: Call): Promise<void> {
  await keys.change((now) => ({ ...now, api_key: null, user_id: null }));
  await account.clear();
}

/** Calls that every page makes and that must not fail because a file is missing. */
export const keysAndAuth: Endpoints<"account.status" | "api.getChannelKey" | "api.getApiKey" | "api.logout"> = {
  async "account.status"(_, { keys }) {
    const { channel_key, api_key, user_id } = await keys.read();
    return { channel_key: channel_key !== null, api_key: api_key !== null, user_id };
  },
  async "api.getChannelKey"(_, { transport, keyring }) {
    await transport.watched({ method: "GET", path: "/keys" }, keyring.channelKey);
    return null;
  },
  async "api.getApiKey"(_, { transport, keyring }) {
    await transport.watched({ method: "POST", path: "/get_api_key" }, keyring.withApiKey);
    return null;
  },
  async "api.logout"({ user_id }, call) {
    // Before the request: a form submitted meanwhile belongs to the next person and waits for the answer.
    call.account.forgetForms();
    await call.keyring.rotating(async () => {
      const { user_id: here } = await call.keys.read();
      if (user_id !== undefined && here !== null && here !== user_id) return;
      try {
        await send(call, { method: "POST", path: "/auth/logout", repeatable: true, rotates: true });
      } finally {
        // Leaving a shared computer must sign the person out even if the network fails.
        await signOut(call);
      }
    });
    return null;
  },
};
