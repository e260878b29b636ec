import type { DevicePort } from "../ports/device";
import type { Keyring } from "./keyring";
import type { Keys } from "./keys";
import type { Transport } from "./transport";

interface SessionCode {
  readonly code: string;
  readonly expires: number;
  /** The key that the code attaches to an account, in place of an anonymous one. */
  readonly api_key?: string | null;
}

const isCode = (data: unknown): data is SessionCode => typeof (data as Partial<SessionCode> | null)?.code === "string";

export interface DeviceDeps {
  transport: Pick<Transport, "send">;
  keyring: Pick<Keyring, "rotating">;
  keys: Keys;
}

/** Device codes, directly from the channel. They bypass the sagas so that none is recorded (AUTH-5). */
export function createDevice({ transport, keyring, keys }: DeviceDeps): DevicePort {
  return {
    code: () =>
      keyring.rotating(async () => {
        const { data } = await transport.send({
          method: "POST",
          path: "/auth/session_code",
          body: {},
          rotates: true,
          fits: isCode,
        });
        const { code, expires, api_key } = data as SessionCode;
        if (typeof api_key === "string")
          await keys.change((now) =>
            now.user_id === null ? { channel_key: now.channel_key, api_key, user_id: null } : now,
          );
        return { code, expires: expires * 1_000 };
      }),
  };
}
