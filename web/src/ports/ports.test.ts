import { describe, expect, it } from "vitest";
import { methods, PortError } from "./world";

describe("a port's failure", () => {
  it("is restored from its JSON, so that a replay throws the session's error", () => {
    const error = new PortError({
      code: "validation",
      message: "The password is too short.",
      status: 400,
      retryable: false,
      errors: { password: ["The password is too short."] },
      details: { request_id: "r1" },
    });
    const again = new PortError(JSON.parse(JSON.stringify(error)));
    expect(again.toJSON()).toEqual(error.toJSON());
    expect({ ...again, message: again.message }).toEqual({ ...error, message: error.message });
  });

  it("is made of anything that was thrown", () => {
    expect(PortError.from(new TypeError("x is undefined")).toJSON()).toEqual({
      code: "port_failed",
      message: "x is undefined",
    });
  });
});

describe("a call's identity", () => {
  it("contains no handle, card, code or text of a form", () => {
    const secret = "SECRET";
    expect(methods["api.login"].identity({ handle: secret })).toBe("");
    expect(methods["api.socialLogin"].identity({ provider: "google", handle: secret })).toBe("google");
    expect(methods["payments.createCard"].identity({ handle: secret })).toBe("");
    expect(methods["api.applyCoupon"].identity({ type: "event", id: 1, code: secret })).toBe("event/1");
    const buy = { idempotency_key: "k", type: "event", id: 1, payment_method_id: secret } as const;
    expect(methods["api.buy"].identity(buy)).toBe("k");
  });
});
