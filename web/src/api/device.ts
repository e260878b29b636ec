import type { DevicePort } from "../ports/device";
import type { Transport } from "./transport";

interface SessionCode {
  readonly code: string;
  readonly expires: number;
}

const isCode = (data: unknown): data is SessionCode => typeof (data as Partial<SessionCode> | null)?.code === "string";

/** Device codes, directly from the channel. They bypass the sagas so that none is recorded (AUTH-5). */
export function createDevice(transport: Pick<Transport, "send">): DevicePort {
  return {
    async code() {
      const { data } = await transport.send({ method: "POST", path: "/auth/session_code", body: {}, fits: isCode });
      const { code, expires } = data as SessionCode;
      return { code, expires: expires * 1_000 };
    },
  };
}
