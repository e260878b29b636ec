import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  bench,
  ending,
  fixedKeys,
  get,
  givingKeys,
  memory,
  ok,
  paths,
  refuse,
  refuseKey,
  type Script,
} from "./testing/channel";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("keys", () => {
  it("are fetched before the first call: the channel's, then an API key", async () => {
    const { api, seen } = bench(givingKeys(() => ok([])));
    await api.transport.send(get("/faq"));
    expect(paths(seen)).toEqual(["/keys/northfield.test.json", "/api/get_api_key", "/api/faq"]);
    expect(seen[1]?.body).toEqual({ channel_key: "northfield" });
    expect(seen[2]?.key).toBe("key-1");
  });

  it("are fetched once, however many calls wait for them", async () => {
    const { api, seen } = bench(givingKeys(() => ok([])));
    await Promise.all([get("/faq"), get("/menu"), get("/pages")].map(api.transport.send));
    expect(paths(seen).filter((path) => path === "/api/get_api_key")).toHaveLength(1);
  });

  it("go in the query of GET and DELETE and in the body of POST, and never on a public call (CALL-1)", async () => {
    const { api, seen } = fixedKeys(() => ok(null));
    await api.transport.send({ method: "GET", path: "/events", query: { sport: "ice hockey", city: undefined } });
    await api.transport.send({ method: "DELETE", path: "/clip/3" });
    await api.transport.send({ method: "POST", path: "/favorite", body: { favoritable_id: 1 } });
    await api.transport.send({ ...get("/storage/settings/a.json"), public: true });
    expect(seen.map(({ path, key, body }) => [path, key, body])).toEqual([
      ["/api/events?sport=ice hockey", "mine", null],
      ["/api/clip/3", "mine", null],
      ["/api/favorite", "mine", { favoritable_id: 1, api_key: "mine" }],
      ["/api/storage/settings/a.json", null, null],
    ]);
  });

  it("that are missing after fetching are the error `no api key`", async () => {
    const script: Script = ({ path }) =>
      path.startsWith("/keys/") ? Response.json({ channel_key: "northfield" }) : ok({});
    const { api } = bench(script);
    expect(await ending(api.transport.send(get("/faq")))).toMatchObject({ code: "no_api_key", message: "no api key" });
  });
});

describe("an anonymous key", () => {
  it("never replaces a faster login", async () => {
    const { api } = bench(async ({ path }) => {
      if (path.startsWith("/keys/")) return Response.json({ channel_key: "northfield" });
      await api.keys.change((now) => ({ ...now, api_key: "of-the-login", user_id: 7 }));
      return ok({ api_key: "anonymous" });
    });
    await api.call("api.getApiKey", {}, undefined);
    expect(await api.keys.read()).toMatchObject({ api_key: "of-the-login", user_id: 7 });
  });

  it("is dropped only if it is still the refused one", async () => {
    const { api } = fixedKeys(() => ok(null));
    expect(await api.keyring.dropApiKey("another")).toBe(false);
    expect(await api.keys.read()).toMatchObject({ api_key: "mine", user_id: 7 });
    expect(await api.keyring.dropApiKey("mine")).toBe(true);
    expect(await api.keys.read()).toMatchObject({ api_key: null, user_id: null });
  });
});

describe("an anonymous key older than 30 days", () => {
  const DAY = 24 * 3_600_000;
  const requested = (seen: { path: string }[]): number => seen.filter(({ path }) => path === "/api/get_api_key").length;

  it("is replaced beside the calls, which go on under the old one, without an event", async () => {
    const { api, seen, events, clock } = bench(givingKeys(() => ok([])));
    await api.transport.send(get("/faq"));
    clock.now += 30 * DAY - 1;
    await api.transport.send(get("/faq"));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(requested(seen)).toBe(1);
    clock.now += 1;
    await Promise.all([get("/faq"), get("/menu")].map(api.transport.send));
    await vi.waitFor(async () => expect((await api.keys.read()).api_key).toBe("key-2"), { timeout: 60_000 });
    await api.transport.send(get("/pages"));
    expect(requested(seen)).toBe(2);
    expect(seen.filter(({ key }) => key === "key-1")).toHaveLength(4);
    expect(seen.at(-1)?.key).toBe("key-2");
    expect(events).toEqual([]);
  });

  it("stays if no other can be fetched", async () => {
    let isAway = false;
    const giving = givingKeys(() => ok([]));
    const { api, seen, events, clock } = bench((request, signal) =>
      isAway && request.path === "/api/get_api_key" ? refuse(503, "unavailable") : giving(request, signal),
    );
    await api.transport.send(get("/faq"));
    isAway = true;
    clock.now += 31 * DAY;
    await api.transport.send(get("/faq"));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await api.keys.read()).toMatchObject({ api_key: "key-1", user_id: null });
    expect(events).toEqual([]);
    expect(requested(seen)).toBeGreaterThan(1);
  });

  it("is replaced before a social login that is bound to it, a day early", async () => {
    const { api, seen, clock } = bench(givingKeys(() => ok({ url: "https://provider.example/" })));
    await api.transport.send(get("/faq"));
    clock.now += 29 * DAY;
    await api.call("api.startSocialLogin", { provider: "google" }, undefined);
    expect(seen.at(-1)).toMatchObject({ path: "/api/auth/social/google/start", key: "key-2" });
  });

  it("is left alone if it belongs to a person, or was issued without a time", async () => {
    for (const stored of [
      { api_key: "a", user_id: 7, issued_at: 0 },
      { api_key: "a", user_id: null },
    ]) {
      const database = memory();
      await database.setItem("keys", { channel_key: "northfield", ...stored });
      const { api, seen } = bench(() => ok([]), database);
      await api.transport.send(get("/faq"));
      await vi.advanceTimersByTimeAsync(5_000);
      expect(paths(seen)).toEqual(["/api/faq"]);
    }
  });
});

describe("a device's code", () => {
  it("comes with the key that it attaches to an account", async () => {
    const answer = { code: "7QK4XM", expires: 1_795_284_600, api_key: "of-the-device" };
    const { api, seen } = bench(givingKeys(({ path }) => ok(path === "/api/auth/session_code" ? answer : {})));
    expect(await api.device.code()).toEqual({ code: "7QK4XM", expires: 1_795_284_600_000 });
    expect(await api.keys.read()).toEqual({ channel_key: "northfield", api_key: "of-the-device", user_id: null });
    await api.transport.send(get("/faq"));
    expect(seen.at(-1)?.key).toBe("of-the-device");
  });

  it("keeps the key of a device that the code attaches itself, and of a person", async () => {
    for (const stored of [
      { key: { api_key: "own", user_id: null }, answer: {} },
      { key: { api_key: "own", user_id: 7 }, answer: { api_key: "of-the-device" } },
    ]) {
      const database = memory();
      await database.setItem("keys", { channel_key: "northfield", ...stored.key });
      const { api } = bench(() => ok({ code: "7QK4XM", expires: 1, ...stored.answer }), database);
      await api.device.code();
      expect((await api.keys.read()).api_key).toBe("own");
    }
  });
});

describe("an API key that is refused", () => {
  it("during a login waits for that login's key, and logs nobody out", async () => {
    let loggedIn = (_: Response) => {};
    const { api, seen } = fixedKeys(({ path, key }) => {
      if (path === "/api/v2/auth/login") return new Promise((answer) => void (loggedIn = answer));
      return key === "of-the-login" ? ok({ country: "" }) : refuseKey("api_key");
    });
    const login = api.call("api.login", { handle: api.account.hold({ email: "a@b.example" }) }, undefined);
    await vi.waitFor(() => expect(seen).toHaveLength(1), { timeout: 60_000 });
    const geo = api.transport.send(get("/geo"));
    await vi.waitFor(() => expect(seen).toHaveLength(2), { timeout: 60_000 });
    await vi.advanceTimersByTimeAsync(1_000 * 3);
    loggedIn(ok({ api_key: "of-the-login", user: { id: 7 } }));
    await Promise.all([login, geo]);
    expect(paths(seen)).toEqual(["/api/v2/auth/login", "/api/geo", "/api/geo"]);
    expect(await api.keys.read()).toMatchObject({ api_key: "of-the-login", user_id: 7 });
  });

  it("by the status socket is replaced, unless a login has done so", async () => {
    let loggedIn = (_: Response) => {};
    const { api, seen } = fixedKeys(
      givingKeys(({ path, key }) => {
        if (path === "/api/v2/auth/login") return new Promise((answer) => void (loggedIn = answer));
        return key === "of-the-login" ? refuseKey("api_key") : ok({ country: "" });
      }),
    );
    const login = api.call("api.login", { handle: api.account.hold({ email: "a@b.example" }) }, undefined);
    await vi.waitFor(() => expect(seen).toHaveLength(1), { timeout: 60_000 });
    const early = api.keyRefused("mine");
    loggedIn(ok({ api_key: "of-the-login", user: { id: 7 } }));
    await Promise.all([login, early]);
    expect(paths(seen)).toEqual(["/api/v2/auth/login"]);
    const late = api.keyRefused("of-the-login");
    await vi.advanceTimersByTimeAsync(1_000);
    await late;
    expect(paths(seen).slice(1)).toEqual(["/api/geo", "/api/get_api_key", "/api/geo"]);
    expect(await api.keys.read()).toMatchObject({ api_key: "key-1", user_id: null });
  });

  it("by the status socket during a logout is left to the logout", async () => {
    let loggedOut = (_: Response) => {};
    const { api, seen, events } = fixedKeys(({ path }) =>
      path === "/api/auth/logout" ? new Promise((answer) => void (loggedOut = answer)) : refuseKey("api_key"),
    );
    const logout = api.call("api.logout", {}, undefined);
    await vi.waitFor(() => expect(seen).toHaveLength(1), { timeout: 60_000 });
    const refusal = api.keyRefused("mine");
    loggedOut(ok({ ok: true }));
    await Promise.all([logout, refusal]);
    expect(paths(seen)).toEqual(["/api/auth/logout"]);
    expect(events).not.toContain("apiKeyLost");
    expect(await api.keys.read()).toMatchObject({ api_key: null, user_id: null });
  });

  it("is cleared with its user, with an event, and the call is repeated under a fresh one", async () => {
    const script = givingKeys(({ key }) => (key === "mine" ? refuseKey("api_key") : ok("done")));
    const { api, seen, events, reports } = fixedKeys(script);
    const answer = api.transport.send({ method: "POST", path: "/favorite", body: {} });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await answer).toEqual({ data: "done" });
    expect(seen.map(({ key }) => key)).toEqual(["mine", null, "key-1"]);
    expect(events).toContain("apiKeyLost");
    expect(await api.keys.read()).toMatchObject({ channel_key: "northfield", api_key: "key-1", user_id: null });
    expect(reports).toEqual([]);
  });

  it("is replaced by a newer one that another tab stored, and nobody is logged out", async () => {
    const database = memory();
    await database.setItem("keys", { channel_key: "northfield", api_key: "old", user_id: null });
    const newer = { channel_key: "northfield", api_key: "newer", user_id: 7 };
    const script: Script = async ({ key }) => {
      if (key === "newer") return ok("done");
      await database.setItem("keys", newer);
      return refuseKey("api_key");
    };
    const { api, seen, events } = bench(script, database);
    expect(await api.transport.send(get("/profile"))).toEqual({ data: "done" });
    expect(seen.map(({ key }) => key)).toEqual(["old", "newer"]);
    expect(events).toEqual([]);
    expect(await api.keys.read()).toEqual(newer);
  });

  it("is replaced once: a second refusal fails the call", async () => {
    const { api, seen } = fixedKeys(givingKeys(() => refuseKey("api_key")));
    const answer = ending(api.transport.send(get("/faq")));
    await vi.advanceTimersByTimeAsync(10 * 1_000);
    expect(await answer).toMatchObject({ code: "api_key", status: 400 });
    expect(paths(seen)).toEqual(["/api/faq", "/api/get_api_key", "/api/faq"]);
  });

  it("never sends one person's item under another's key", async () => {
    const { api, seen } = fixedKeys(givingKeys(() => refuseKey("api_key")));
    const answer = ending(api.transport.send({ method: "POST", path: "/favorite", body: {}, asUser: 7 }));
    await vi.advanceTimersByTimeAsync(10 * 1_000);
    expect(await answer).toMatchObject({ code: "wrong_user" });
    expect(paths(seen)).toEqual(["/api/favorite", "/api/get_api_key"]);
    expect(await ending(api.transport.send({ ...get("/orders"), asUser: 8 }))).toMatchObject({ code: "wrong_user" });
    expect(seen).toHaveLength(2);
  });

  it("never repeats an anonymous call under the next person's key (PAY-4)", async () => {
    const calls = {
      "api.buy": { idempotency_key: "k-1", type: "event", id: 3, payment_method_id: "pm" },
      "api.unsubscribe": { subscription_id: 3 },
      "api.getProfile": {},
    } as const;
    for (const [method, args] of Object.entries(calls)) {
      const theirs = { channel_key: "northfield", api_key: "theirs", user_id: 8 };
      const database = memory();
      await database.setItem("keys", { ...theirs, api_key: "mine", user_id: 7 });
      const { api, seen, events } = bench(async ({ key }) => {
        if (key === "mine") await database.setItem("keys", theirs);
        return key === "mine" ? refuseKey("api_key") : ok(null);
      }, database);
      expect(await ending(api.call(method as keyof typeof calls, args as never, undefined))).toMatchObject({
        code: "wrong_user",
      });
      expect(seen.map(({ key }) => key)).toEqual(["mine"]);
      expect(await api.keys.read()).toEqual(theirs);
      expect(events).toEqual([]);
    }
  });
});

describe("a channel key that is refused", () => {
  it("clears both keys, and the call is repeated after a second", async () => {
    let refused = 0;
    const { api, seen } = fixedKeys(givingKeys(() => (refused++ === 0 ? refuseKey("channel_key") : ok("done"))));
    const answer = api.transport.send(get("/faq"));
    await vi.advanceTimersByTimeAsync(1_000 - 1);
    expect(paths(seen)).toEqual(["/api/faq"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await answer).toEqual({ data: "done" });
    expect(paths(seen)).toEqual(["/api/faq", "/keys/northfield.test.json", "/api/get_api_key", "/api/faq"]);
  });

  it("logs the user out with one event; nobody is logged out twice", async () => {
    const { api, events } = fixedKeys(
      givingKeys(({ key }) => (key === "mine" ? refuseKey("channel_key") : ok("done"))),
    );
    const answer = api.transport.send(get("/faq"));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await answer).toEqual({ data: "done" });
    expect(events.filter((line) => line === "unauthenticated")).toHaveLength(1);
    expect(await api.keys.read()).toMatchObject({ api_key: "key-1", user_id: null });

    const database = memory();
    await database.setItem("keys", { channel_key: "gone", api_key: "anonymous", user_id: null });
    const nobody = bench(
      givingKeys(({ key }) => (key === "anonymous" ? refuseKey("channel_key") : ok("done"))),
      database,
    );
    const other = nobody.api.transport.send(get("/faq"));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await other).toEqual({ data: "done" });
    expect(nobody.events).not.toContain("unauthenticated");
  });

  it("is fetched again once while an API key is requested", async () => {
    const database = memory();
    await database.setItem("keys", { channel_key: "gone", api_key: null, user_id: null });
    const script: Script = ({ path, body }) => {
      if (path.startsWith("/keys/")) return Response.json({ channel_key: "northfield" });
      return body?.channel_key === "gone" ? refuseKey("channel_key") : ok({ api_key: "fresh" });
    };
    const { api } = bench(script, database);
    const answer = api.call("api.getApiKey", {}, undefined);
    await vi.advanceTimersByTimeAsync(1_000);
    await answer;
    expect(await api.keys.read()).toMatchObject({ channel_key: "northfield", api_key: "fresh", user_id: null });
  });
});
