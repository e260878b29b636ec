import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { toWireRequest } from "./request";
import { ending, fixedKeys, get, refuse } from "./testing/channel";

// Exact requests, where no screen would show the difference.

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a call", () => {
  it("hides its key from caches, redirects and cookies", () => {
    for (const method of ["GET", "POST", "DELETE"] as const)
      expect(toWireRequest({ method, path: "/x" }, "/api", "k").init).toMatchObject({
        cache: "no-store",
        redirect: "error",
        credentials: "omit",
      });
  });

  it("for logging in carries the device's cookie, and no other call does (AUTH-7)", () => {
    const credentials = (method: "GET" | "POST", path: string) =>
      toWireRequest({ method, path }, "/api", "k").init.credentials;
    expect(credentials("POST", "/v2/auth/login")).toBe("same-origin");
    expect(credentials("POST", "/auth/password-reset-request")).toBe("same-origin");
    expect([credentials("GET", "/auth/sessions"), credentials("POST", "/stripe/buy")]).toEqual(["omit", "omit"]);
  });

  it("is rejected by every answer but 200 (ERR-1)", async () => {
    const { api } = fixedKeys(() => Response.json({ data: [] }, { status: 201 }));
    const answer = ending(api.transport.send(get("/events")));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await answer).toMatchObject({ status: 201 });
  });

  it("that is cancelled before its retry isn't sent again", async () => {
    const { api, seen } = fixedKeys(() => Promise.reject(new TypeError("Failed to fetch")));
    const controller = new AbortController();
    const answer = ending(api.transport.send({ ...get("/events"), signal: controller.signal }));
    await vi.advanceTimersByTimeAsync(500);
    controller.abort("left");
    expect(await answer).toBe("left");
    await vi.advanceTimersByTimeAsync(10_000);
    expect(seen).toHaveLength(1);
  });

  it("of one person under another's key adds nothing to the error log", async () => {
    const { api, reports, seen } = fixedKeys(() => refuse(500, "never"));
    expect(await ending(api.transport.send({ ...get("/events"), asUser: 8 }))).toMatchObject({ code: "wrong_user" });
    await vi.advanceTimersByTimeAsync(10_000);
    expect([seen, reports]).toEqual([[], []]);
  });
});

describe("a refusal", () => {
  it("names a faulty key only with 400: a field of that name from a proxy or a form costs no session", async () => {
    for (const status of [403, 409, 422]) {
      const { api, seen, events } = fixedKeys(() => refuse(status, "other", { errors: { api_key: ["wrong"] } }));
      const answer = ending(api.transport.send({ method: "POST", path: "/x", body: {} }));
      await vi.advanceTimersByTimeAsync(10_000);
      expect(await answer).toMatchObject({ status });
      expect([await api.keys.read(), seen.length]).toMatchObject([{ api_key: "mine" }, 1]);
      expect(events).toEqual([]);
    }
  });

  it("covers the page for the status class that the call names, and no other (ERR-6)", async () => {
    for (const [on, status, shown] of [
      ["5xx", 500, ["crashed e"]],
      ["5xx", 404, []],
      ["4xx", 404, ["crashed e"]],
      ["4xx", 500, []],
    ] as const) {
      const { api, events } = fixedKeys(() => refuse(status, "e"));
      const answer = ending(api.transport.send({ method: "POST", path: "/x", body: {}, crash: { on: [on] } }));
      await vi.advanceTimersByTimeAsync(10_000);
      await answer;
      expect(events, `${on} ${status}`).toEqual(shown);
    }
  });

  it("with 408 can be retried, whoever answered it", async () => {
    const { api } = fixedKeys(() => refuse(408, "too_slow"));
    const answer = ending(api.transport.send({ method: "POST", path: "/x", body: {} }));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await answer).toMatchObject({ status: 408, retryable: true });
  });
});
