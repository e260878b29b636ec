import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isRefusal, type PortError } from "../ports/error";
import { bench, givingKeys, memory, never, ok, refuse, refuseKey, type Script } from "./testing/channel";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** How a call ended: its answer, or the error it failed with. */
function ending(work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: unknown) => error);
}

const get = (path: string) => ({ method: "GET", path }) as const;
const paths = (seen: readonly { path: string }[]) => seen.map(({ path }) => path);
const fixedKeys = (script: Script) => {
  const database = memory();
  void database.setItem("keys", { channel_key: "northfield", api_key: "mine", user_id: 7 });
  return bench(script, database);
};

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
  it("never takes the place of a login that was quicker", async () => {
    const { api } = bench(async ({ path }) => {
      if (path.startsWith("/keys/")) return Response.json({ channel_key: "northfield" });
      await api.keys.change((now) => ({ ...now, api_key: "of-the-login", user_id: 7 }));
      return ok({ api_key: "anonymous" });
    });
    await api.call("api.getApiKey", {}, undefined);
    expect(await api.keys.read()).toMatchObject({ api_key: "of-the-login", user_id: 7 });
  });

  it("is dropped only while it is the one that was refused", async () => {
    const { api } = fixedKeys(() => ok(null));
    expect(await api.keyring.dropApiKey("another")).toBe(false);
    expect(await api.keys.read()).toMatchObject({ api_key: "mine", user_id: 7 });
    expect(await api.keyring.dropApiKey("mine")).toBe(true);
    expect(await api.keys.read()).toMatchObject({ api_key: null, user_id: null });
  });
});

describe("an API key that is refused", () => {
  it("while a login is under way waits for that login's key, and logs nobody out", async () => {
    let loggedIn = (_: Response) => {};
    const { api, seen } = fixedKeys(({ path, key }) => {
      if (path === "/api/v2/auth/login") return new Promise((answer) => void (loggedIn = answer));
      return key === "of-the-login" ? ok({ country: "" }) : refuseKey("api_key");
    });
    const login = api.call("api.login", { handle: api.account.hold({ email: "a@b.example" }) }, undefined);
    await vi.waitFor(() => expect(seen).toHaveLength(1));
    const geo = api.transport.send(get("/geo"));
    await vi.waitFor(() => expect(seen).toHaveLength(2));
    await vi.advanceTimersByTimeAsync(1_000 * 3);
    loggedIn(ok({ api_key: "of-the-login", user: { id: 7 } }));
    await Promise.all([login, geo]);
    expect(paths(seen)).toEqual(["/api/v2/auth/login", "/api/geo", "/api/geo"]);
    expect(await api.keys.read()).toMatchObject({ api_key: "of-the-login", user_id: 7 });
  });

  it("by the status socket is mended, unless a login has replaced it", async () => {
    let loggedIn = (_: Response) => {};
    const { api, seen } = fixedKeys(
      givingKeys(({ path, key }) => {
        if (path === "/api/v2/auth/login") return new Promise((answer) => void (loggedIn = answer));
        return key === "of-the-login" ? refuseKey("api_key") : ok({ country: "" });
      }),
    );
    const login = api.call("api.login", { handle: api.account.hold({ email: "a@b.example" }) }, undefined);
    await vi.waitFor(() => expect(seen).toHaveLength(1));
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

  it("by the status socket while a logout is under way is left to the logout", async () => {
    let loggedOut = (_: Response) => {};
    const { api, seen, news } = fixedKeys(({ path }) =>
      path === "/api/auth/logout" ? new Promise((answer) => void (loggedOut = answer)) : refuseKey("api_key"),
    );
    const logout = api.call("api.logout", {}, undefined);
    await vi.waitFor(() => expect(seen).toHaveLength(1));
    const told = api.keyRefused("mine");
    loggedOut(ok({ ok: true }));
    await Promise.all([logout, told]);
    expect(paths(seen)).toEqual(["/api/auth/logout"]);
    expect(news).not.toContain("apiKeyLost");
    expect(await api.keys.read()).toMatchObject({ api_key: null, user_id: null });
  });

  it("is cleared with its user, told, and the call goes once more under a fresh one", async () => {
    const script = givingKeys(({ key }) => (key === "mine" ? refuseKey("api_key") : ok("done")));
    const { api, seen, news, reports } = fixedKeys(script);
    const answer = api.transport.send({ method: "POST", path: "/favorite", body: {} });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await answer).toEqual({ data: "done" });
    expect(seen.map(({ key }) => key)).toEqual(["mine", null, "key-1"]);
    expect(news).toContain("apiKeyLost");
    expect(await api.keys.read()).toEqual({ channel_key: "northfield", api_key: "key-1", user_id: null });
    expect(reports).toEqual([]);
  });

  it("gives way to a newer one that another tab stored, and nobody is logged out", async () => {
    const database = memory();
    await database.setItem("keys", { channel_key: "northfield", api_key: "old", user_id: null });
    const newer = { channel_key: "northfield", api_key: "newer", user_id: 7 };
    const script: Script = async ({ key }) => {
      if (key === "newer") return ok("done");
      await database.setItem("keys", newer);
      return refuseKey("api_key");
    };
    const { api, seen, news } = bench(script, database);
    expect(await api.transport.send(get("/profile"))).toEqual({ data: "done" });
    expect(seen.map(({ key }) => key)).toEqual(["old", "newer"]);
    expect(news).toEqual([]);
    expect(await api.keys.read()).toEqual(newer);
  });

  it("is mended once: a second refusal fails the call", async () => {
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

  it("sends nobody's call again under the key of the next person (PAY-4)", async () => {
    const calls = {
      "api.buy": { idempotency_key: "k-1", type: "event", id: 3, payment_method_id: "pm" },
      "api.unsubscribe": { subscription_id: 3 },
      "api.getProfile": {},
    } as const;
    for (const [method, args] of Object.entries(calls)) {
      const theirs = { channel_key: "northfield", api_key: "theirs", user_id: 8 };
      const database = memory();
      await database.setItem("keys", { ...theirs, api_key: "mine", user_id: 7 });
      const { api, seen, news } = bench(async ({ key }) => {
        if (key === "mine") await database.setItem("keys", theirs);
        return key === "mine" ? refuseKey("api_key") : ok(null);
      }, database);
      expect(await ending(api.call(method as keyof typeof calls, args as never, undefined))).toMatchObject({
        code: "wrong_user",
      });
      expect(seen.map(({ key }) => key)).toEqual(["mine"]);
      expect(await api.keys.read()).toEqual(theirs);
      expect(news).toEqual([]);
    }
  });
});

describe("a channel key that is refused", () => {
  it("clears both keys and the call goes once more after a second", async () => {
    let refused = 0;
    const { api, seen } = fixedKeys(givingKeys(() => (refused++ === 0 ? refuseKey("channel_key") : ok("done"))));
    const answer = api.transport.send(get("/faq"));
    await vi.advanceTimersByTimeAsync(1_000 - 1);
    expect(paths(seen)).toEqual(["/api/faq"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await answer).toEqual({ data: "done" });
    expect(paths(seen)).toEqual(["/api/faq", "/keys/northfield.test.json", "/api/get_api_key", "/api/faq"]);
  });

  it("logs out whoever was logged in, and the site hears of it once; nobody is logged out twice", async () => {
    const { api, news } = fixedKeys(givingKeys(({ key }) => (key === "mine" ? refuseKey("channel_key") : ok("done"))));
    const answer = api.transport.send(get("/faq"));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await answer).toEqual({ data: "done" });
    expect(news.filter((line) => line === "unauthenticated")).toHaveLength(1);
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
    expect(nobody.news).not.toContain("unauthenticated");
  });

  it("is fetched anew once while an API key is asked for", async () => {
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
    expect(await api.keys.read()).toEqual({ channel_key: "northfield", api_key: "fresh", user_id: null });
  });
});

describe("a call without an answer", () => {
  it("fails after 30 seconds, is sent once more after one, and then fails for good", async () => {
    const { api, seen } = fixedKeys(never);
    const answer = ending(api.transport.send(get("/events")));
    await vi.advanceTimersByTimeAsync(30_000);
    expect(seen).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(seen).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await answer).toMatchObject({ code: "timeout", retryable: true, status: undefined });
    await vi.advanceTimersByTimeAsync(10 * 30_000);
    expect(seen).toHaveLength(2);
  });

  it("is sent once only, when it may not arrive twice", async () => {
    const { api, seen } = fixedKeys(() => Promise.reject(new TypeError("Failed to fetch")));
    const once = ending(api.transport.send({ method: "POST", path: "/v2/auth/login", body: {} }));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await once).toMatchObject({ code: "network" });
    expect(seen).toHaveLength(1);
    const keyed = ending(api.transport.send({ method: "POST", path: "/clip", body: {}, idempotencyKey: "k-1" }));
    await vi.advanceTimersByTimeAsync(1_000);
    await keyed;
    expect(seen.slice(1).map(({ headers }) => headers.get("idempotency-key"))).toEqual(["k-1", "k-1"]);
  });

  it.each([
    [
      "a page of a captive portal",
      () => new Response("<html>Log in</html>", { headers: { "content-type": "text/html" } }),
    ],
    ["a page that says it is JSON", () => new Response("<html>", { headers: { "content-type": "application/json" } })],
    ["JSON of another shape", () => Response.json({ hello: 1 })],
  ])("is what %s amounts to", async (_, response) => {
    const { api } = fixedKeys(response);
    const answer = ending(api.transport.send(get("/events")));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await answer).toMatchObject({ code: "unexpected_answer", retryable: true, status: undefined });
  });

  it("may be told by what was kept of an earlier one, and the site hears of it", async () => {
    const { api, news } = fixedKeys(() => Response.json({ data: [] }, { headers: { "x-touchline-stale": "1" } }));
    expect(await api.transport.send(get("/faq"))).toEqual({ data: [] });
    expect(news).toEqual(["answeredFromCache"]);
  });

  it("is passed on untouched when it was cancelled, and nobody is told", async () => {
    const { api, reports, seen } = fixedKeys(never);
    const controller = new AbortController();
    const answer = ending(api.transport.send({ ...get("/events"), signal: controller.signal }));
    await vi.advanceTimersByTimeAsync(5);
    controller.abort("left the page");
    expect(await answer).toBe("left the page");
    const posted = ending(api.transport.send({ method: "POST", path: "/x", signal: AbortSignal.abort("left before") }));
    expect(await posted).toBe("left before");
    const later = new AbortController();
    const sent = ending(api.transport.send({ method: "POST", path: "/x", signal: later.signal }));
    await vi.advanceTimersByTimeAsync(5);
    later.abort("left meanwhile");
    expect(await sent).toBe("left meanwhile");
    await vi.advanceTimersByTimeAsync(10 * 30_000);
    expect(seen.map(({ method }) => method)).toEqual(["GET", "POST"]);
    expect(reports).toEqual([]);
  });
});

describe("a refusal", () => {
  it("keeps the server's message, code, field errors and request id", async () => {
    const { api } = fixedKeys(() =>
      refuse(400, "validation", { errors: { email: ["A valid email address is required"] } }),
    );
    const error = (await ending(api.transport.send(get("/x")))) as PortError;
    expect(error.toJSON()).toEqual({
      code: "validation",
      message: "said validation",
      status: 400,
      errors: { email: ["A valid email address is required"] },
      details: { request_id: "r-validation" },
    });
    expect(api.requestIds.list()).toEqual(["r-validation"]);
  });

  it("of a proxy without the house's shape says what the catalogue says", async () => {
    const { api } = fixedKeys(() => new Response("Bad gateway", { status: 502 }));
    const answer = ending(api.transport.send(get("/x")));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await answer).toMatchObject({
      code: "http_502",
      message: "Apologies! Our service is currently experiencing technical difficulties.",
    });
  });

  it.each([
    [true, "Something went wrong. Please try again or contact technical support."],
    [false, "You’re offline. Try again when the connection is back."],
  ])("that is none at all says whether the browser is offline (online: %s)", async (online, message) => {
    const { api, network } = fixedKeys(() => Promise.reject(new TypeError("failed to fetch")));
    network.online = online;
    const answer = ending(api.transport.send({ method: "POST", path: "/v2/auth/login", body: {} }));
    expect(await answer).toMatchObject({ code: "network", message, retryable: true });
  });

  it("of something on the way says nothing for good: what waits goes on waiting", async () => {
    const send = { method: "POST", path: "/favorite", body: { favoritable_id: 1 } } as const;
    const page = fixedKeys(() => new Response("<h1>Sign in</h1>", { status: 403 }));
    expect(await ending(page.api.transport.send(send))).toMatchObject({ status: 403, retryable: true });
    const own = fixedKeys(() => Response.json({ message: "No." }, { status: 403 }));
    expect(await ending(own.api.transport.send(send))).toMatchObject({ status: 403, retryable: false });
  });

  it.each([
    ["a page", () => new Response("<h1>Sign in</h1>", { status: 403, headers: { "content-type": "text/html" } })],
    ["JSON without a code", () => Response.json({ message: "Forbidden" }, { status: 403 })],
    ["JSON with a code of its own", () => Response.json({ code: "AccessDenied", message: "No." }, { status: 403 })],
    ["JSON with a number", () => Response.json({ code: 403, message: "No." }, { status: 403 })],
  ])("of something on the way to the channel is none of the channel's: %s", async (_, answer) => {
    const { api } = fixedKeys(answer);
    const ended = ending(api.transport.send(get("/x")));
    await vi.advanceTimersByTimeAsync(1_000);
    const error = (await ended) as PortError;
    expect([error.code, isRefusal(error)]).toEqual(["http_403", false]);
    const own = fixedKeys(() => refuse(403, "temporary_password"));
    expect(isRefusal((await ending(own.api.transport.send(get("/x")))) as PortError)).toBe(true);
  });

  it("that the server is to blame for is sent once more after a second, unless it may not arrive twice", async () => {
    const { api, seen } = fixedKeys(() => refuse(500, "broken"));
    const read = ending(api.transport.send(get("/events")));
    await vi.advanceTimersByTimeAsync(1_000 - 1);
    expect(seen).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(60 * 1_000);
    expect(await read).toMatchObject({ status: 500, retryable: true });
    expect(seen).toHaveLength(2);
    const once = ending(api.transport.send({ method: "POST", path: "/v2/auth/register", body: {} }));
    await vi.advanceTimersByTimeAsync(60 * 1_000);
    await once;
    expect(seen).toHaveLength(3);
  });

  it("for too many requests is told to the whole site and is not sent again", async () => {
    const { api, news, seen } = fixedKeys(() => refuse(429, "too_many", { headers: { "retry-after": "7" } }));
    const answer = ending(api.transport.send(get("/events")));
    await vi.advanceTimersByTimeAsync(10 * 1_000);
    expect(await answer).toMatchObject({ status: 429, retryable: true, details: { retry_after_ms: 7000 } });
    expect(news).toEqual(["throttled 7000"]);
    expect(seen).toHaveLength(1);
  });

  it.each([
    ["the channel", () => refuse(429, "too_many")],
    ["something on the way", () => new Response("{}", { status: 429 })],
  ])("for too many requests by %s says what its notice says (ERR-1)", async (_, answer) => {
    const { api } = fixedKeys(answer);
    expect(await ending(api.transport.send(get("/events")))).toMatchObject({
      status: 429,
      message: "Too many requests. Please try again in a moment.",
    });
  });

  it("for too many requests says nothing of an order that the first sending may have made (PAY-4)", async () => {
    let sent = 0;
    const { api } = fixedKeys(() => (sent++ === 0 ? refuse(500, "broken") : refuse(429, "too_many")));
    const answer = ending(api.transport.send({ method: "POST", path: "/stripe/buy", body: {}, idempotencyKey: "k-1" }));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await answer).toMatchObject({ code: "broken", status: 500 });
    expect(sent).toBe(2);
  });

  it("as unauthenticated resets the user, unless someone logged in meanwhile", async () => {
    const { api, news } = fixedKeys(() => refuse(401, "logged_out"));
    await ending(api.transport.send(get("/favorites")));
    expect(news).toContain("unauthenticated");
    expect(await api.keys.read()).toMatchObject({ api_key: "mine", user_id: null });

    const late = fixedKeys(async () => {
      await late.api.keys.change((now) => ({ ...now, api_key: "of-the-login", user_id: 9 }));
      return refuse(401, "logged_out");
    });
    await ending(late.api.transport.send(get("/favorites")));
    expect(late.news).not.toContain("unauthenticated");
    expect(await late.api.keys.read()).toMatchObject({ api_key: "of-the-login", user_id: 9 });
  });

  it("as unauthenticated by something on the way to the channel resets nobody", async () => {
    const { api, news } = fixedKeys(() => new Response("<h1>Sign in</h1>", { status: 401 }));
    const ended = ending(api.transport.send(get("/favorites")));
    await vi.advanceTimersByTimeAsync(1_000);
    await ended;
    expect(news).not.toContain("unauthenticated");
    expect(await api.keys.read()).toMatchObject({ api_key: "mine", user_id: 7 });
  });

  it("as unauthenticated is told by each page that meets it, though the service worker forgot the user before", async () => {
    const script = givingKeys(() => refuse(401, "logged_out"));
    const page = bench(script);
    await page.database.setItem("keys", { channel_key: "northfield", api_key: "mine", user_id: 7 });
    const serviceWorker = bench(script, page.database);
    await ending(serviceWorker.api.transport.send({ method: "POST", path: "/favorite", body: {}, asUser: 7 }));
    expect(await page.api.keys.read()).toMatchObject({ user_id: null });
    await ending(page.api.transport.send(get("/favorites")));
    expect(page.news).toContain("unauthenticated");
  });

  it("raises the error screen where the call says so, and its allowances do not", async () => {
    const status = { value: 500 };
    const { api, news } = fixedKeys(() => refuse(status.value, `e${status.value}`));
    const profile = async (answer: number) => {
      status.value = answer;
      const asked = ending(api.call("api.getProfile", {}, undefined));
      await vi.advanceTimersByTimeAsync(1_000);
      return asked;
    };
    await profile(500);
    await profile(403);
    expect(news).toEqual(["crashed e500", "crashed e403"]);
    await profile(401);
    expect(news.filter((line) => line.startsWith("crashed"))).toHaveLength(2);
    await profile(429);
    expect(news.filter((line) => line.startsWith("crashed"))).toHaveLength(2);
  });

  it("of a custom form that does not exist gives nothing", async () => {
    const { api, news, reports } = fixedKeys(() => refuse(404, "not_found"));
    expect(await api.call("api.getCustomForm", { alias: "contact" }, undefined)).toBeNull();
    expect(news).toEqual([]);
    expect(reports).toEqual([]);
  });
});

describe("the error log", () => {
  it("hears of every failure, with its status and request id, and without keys", async () => {
    const { api, reports } = fixedKeys(() => refuse(404, "not_found"));
    await ending(api.transport.send({ ...get("/events/9"), query: { limit: 3 } }));
    await vi.advanceTimersByTimeAsync(0);
    expect(reports).toEqual([
      {
        date: "2026-11-21T10:00:00.000Z",
        status: 404,
        message: "not_found: said not_found",
        url: "/events/9?limit=3",
        request_id: "r-not_found",
      },
    ]);
  });

  it("does not hear of statuses that the call skips", async () => {
    const { api, reports } = fixedKeys(() => refuse(404, "not_found"));
    await ending(api.transport.send({ ...get("/events/9"), skipLog: [404] }));
    await vi.advanceTimersByTimeAsync(0);
    expect(reports).toEqual([]);
  });
});

it("remembers the last fifty request ids, newest first", async () => {
  let count = 0;
  const { api } = fixedKeys(() => Response.json({ data: 1 }, { headers: { "x-request-id": `r${++count}` } }));
  for (let i = 0; i < 60; i++) await api.transport.send(get("/faq"));
  expect(api.requestIds.list()).toHaveLength(50);
  expect(api.requestIds.list()[0]).toBe("r60");
});
