import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isRefusal, type PortError } from "../ports/error";
import { bench, ending, fixedKeys, get, givingKeys, never, ok, refuse } from "./testing/channel";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a change", () => {
  const post = { method: "POST", path: "/favorite", body: {} } as const;
  const identity = { profile: "p-1", session: "s-1" };
  const named = ({ headers }: { headers: Headers }) => headers.get("touchline-analytics");

  it("names the browser whose viewer allows analytics, and no other call does (ANA-14)", async () => {
    const { api, seen } = bench(
      givingKeys(() => ok({})),
      undefined,
      identity,
    );
    await api.transport.send(post);
    await api.transport.send({ method: "DELETE", path: "/favorite/1" });
    await api.transport.send(get("/events"));
    await api.transport.send({ method: "POST", path: "/datalake/batch", fromOrigin: true, public: true, body: {} });
    expect(seen.filter(({ path }) => !/key/.test(path)).map(named)).toEqual(["p-1/s-1", "p-1/s-1", null, null]);
  });

  it("names none while analytics are not allowed (ANA-7)", async () => {
    const { api, seen } = bench(givingKeys(() => ok({})));
    await api.transport.send(post);
    expect(seen.map(named)).toEqual(seen.map(() => null));
  });
});

describe("a call without an answer", () => {
  it("fails after 30 seconds, is retried after one, and then fails for good", async () => {
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

  it("is sent only once if it isn't safe to repeat", async () => {
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
  ])("includes %s", async (_, response) => {
    const { api } = fixedKeys(response);
    const answer = ending(api.transport.send(get("/events")));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await answer).toMatchObject({ code: "unexpected_answer", retryable: true, status: undefined });
  });

  it("may be answered from a cache, with an event for the site", async () => {
    const { api, events } = fixedKeys(() => Response.json({ data: [] }, { headers: { "x-touchline-stale": "1" } }));
    expect(await api.transport.send(get("/faq"))).toEqual({ data: [] });
    expect(events).toEqual(["answeredFromCache"]);
  });

  it("that was cancelled rejects with the signal's reason, and without an event", async () => {
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
  it("has the server's message, code, field errors and request id", async () => {
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

  it("of a proxy in another shape has the catalogue's message", async () => {
    const { api } = fixedKeys(() => new Response("Bad gateway", { status: 502 }));
    const answer = ending(api.transport.send(get("/x")));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await answer).toMatchObject({
      code: "http_502",
      message: "Apologies! Our service is currently experiencing technical difficulties.",
    });
  });

  it("without a reason says so, and an intermediary's has the site's message (ERR-9)", async () => {
    const said = async (body: object) =>
      ending(fixedKeys(() => Response.json(body, { status: 400 })).api.transport.send({ method: "POST", path: "/x" }));
    expect(await said({ code: "odd" })).toMatchObject({ code: "odd", message: "Undefined error." });
    const wrong = "Something went wrong. Please try again or contact technical support.";
    expect(await said({ odd: true })).toMatchObject({ message: wrong });
  });

  it.each([
    [true, "Something went wrong. Please try again or contact technical support."],
    [false, "You’re offline. Try again when you’re back online."],
  ])("without an answer says whether the browser is offline (online: %s)", async (online, message) => {
    const { api, network } = fixedKeys(() => Promise.reject(new TypeError("failed to fetch")));
    network.online = online;
    const answer = ending(api.transport.send({ method: "POST", path: "/v2/auth/login", body: {} }));
    expect(await answer).toMatchObject({ code: "network", message, retryable: true });
  });

  it("by an intermediary isn't final: waiting items stay", async () => {
    const send = { method: "POST", path: "/favorite", body: { favoritable_id: 1 } } as const;
    const page = fixedKeys(() => new Response("<h1>Sign in</h1>", { status: 403 }));
    expect(await ending(page.api.transport.send(send))).toMatchObject({ status: 403, retryable: true });
    const client = fixedKeys(() => Response.json({ message: "No." }, { status: 403 }));
    expect(await ending(client.api.transport.send(send))).toMatchObject({ status: 403, retryable: false });
  });

  it.each([
    ["a page", () => new Response("<h1>Sign in</h1>", { status: 403, headers: { "content-type": "text/html" } })],
    ["JSON without a code", () => Response.json({ message: "Forbidden" }, { status: 403 })],
    ["JSON with a code of its own", () => Response.json({ code: "AccessDenied", message: "No." }, { status: 403 })],
    ["JSON with a number", () => Response.json({ code: 403, message: "No." }, { status: 403 })],
  ])("by an intermediary doesn't count as the channel's: %s", async (_, answer) => {
    const { api } = fixedKeys(answer);
    const ended = ending(api.transport.send(get("/x")));
    await vi.advanceTimersByTimeAsync(1_000);
    const error = (await ended) as PortError;
    expect([error.code, isRefusal(error)]).toEqual(["http_403", false]);
    const client = fixedKeys(() => refuse(403, "temporary_password"));
    expect(isRefusal((await ending(client.api.transport.send(get("/x")))) as PortError)).toBe(true);
  });

  it("that is the server's fault is retried after a second, unless the call isn't safe to repeat", async () => {
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

  it("for too many requests is announced to the whole site and isn't retried", async () => {
    const { api, events, seen } = fixedKeys(() => refuse(429, "too_many", { headers: { "retry-after": "7" } }));
    const answer = ending(api.transport.send(get("/events")));
    await vi.advanceTimersByTimeAsync(10 * 1_000);
    expect(await answer).toMatchObject({ status: 429, retryable: true, details: { retry_after_ms: 7000 } });
    expect(events).toEqual(["throttled 7000"]);
    expect(seen).toHaveLength(1);
  });

  it.each([
    ["the channel", () => refuse(429, "too_many")],
    ["something on the way", () => new Response("{}", { status: 429 })],
  ])("for too many requests by %s has the notice's message (ERR-1)", async (_, answer) => {
    const { api } = fixedKeys(answer);
    expect(await ending(api.transport.send(get("/events")))).toMatchObject({
      status: 429,
      message: "Too many requests. Please try again in a moment.",
    });
  });

  it("for too many requests doesn't tell whether the first attempt made an order (PAY-4)", async () => {
    let sent = 0;
    const { api } = fixedKeys(() => (sent++ === 0 ? refuse(500, "broken") : refuse(429, "too_many")));
    const answer = ending(api.transport.send({ method: "POST", path: "/stripe/buy", body: {}, idempotencyKey: "k-1" }));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await answer).toMatchObject({ code: "broken", status: 500 });
    expect(sent).toBe(2);
  });

  it("as unauthenticated resets the user, unless someone logged in meanwhile", async () => {
    const { api, events } = fixedKeys(() => refuse(401, "logged_out"));
    await ending(api.transport.send(get("/favorites")));
    expect(events).toContain("unauthenticated");
    expect(await api.keys.read()).toMatchObject({ api_key: "mine", user_id: null });

    const late = fixedKeys(async () => {
      await late.api.keys.change((now) => ({ ...now, api_key: "of-the-login", user_id: 9 }));
      return refuse(401, "logged_out");
    });
    await ending(late.api.transport.send(get("/favorites")));
    expect(late.events).not.toContain("unauthenticated");
    expect(await late.api.keys.read()).toMatchObject({ api_key: "of-the-login", user_id: 9 });
  });

  it("as unauthenticated by an intermediary resets nobody", async () => {
    const { api, events } = fixedKeys(() => new Response("<h1>Sign in</h1>", { status: 401 }));
    const ended = ending(api.transport.send(get("/favorites")));
    await vi.advanceTimersByTimeAsync(1_000);
    await ended;
    expect(events).not.toContain("unauthenticated");
    expect(await api.keys.read()).toMatchObject({ api_key: "mine", user_id: 7 });
  });

  it("as unauthenticated is announced by each page that meets it, even if the service worker forgot the user before", async () => {
    const script = givingKeys(() => refuse(401, "logged_out"));
    const page = bench(script);
    await page.database.setItem("keys", { channel_key: "northfield", api_key: "mine", user_id: 7 });
    const serviceWorker = bench(script, page.database);
    await ending(serviceWorker.api.transport.send({ method: "POST", path: "/favorite", body: {}, asUser: 7 }));
    expect(await page.api.keys.read()).toMatchObject({ user_id: null });
    await ending(page.api.transport.send(get("/favorites")));
    expect(page.events).toContain("unauthenticated");
  });

  it("raises the error screen if the call says so, unless its status is exempt", async () => {
    const status = { value: 500 };
    const { api, events } = fixedKeys(() => refuse(status.value, `e${status.value}`));
    const profile = async (answer: number) => {
      status.value = answer;
      const profileCall = ending(api.call("api.getProfile", {}, undefined));
      await vi.advanceTimersByTimeAsync(1_000);
      return profileCall;
    };
    await profile(500);
    await profile(403);
    expect(events).toEqual(["crashed e500", "crashed e403"]);
    await profile(401);
    expect(events.filter((line) => line.startsWith("crashed"))).toHaveLength(2);
    await profile(429);
    expect(events.filter((line) => line.startsWith("crashed"))).toHaveLength(2);
  });

  it("of a missing custom form answers null", async () => {
    const { api, events, reports } = fixedKeys(() => refuse(404, "not_found"));
    expect(await api.call("api.getCustomForm", { alias: "contact" }, undefined)).toBeNull();
    expect(events).toEqual([]);
    expect(reports).toEqual([]);
  });
});

describe("the error log", () => {
  it("gets every failure, with its status and request id, and without keys", async () => {
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

  it("gets no statuses that the call skips", async () => {
    const { api, reports } = fixedKeys(() => refuse(404, "not_found"));
    await ending(api.transport.send({ ...get("/events/9"), skipLog: [404] }));
    await vi.advanceTimersByTimeAsync(0);
    expect(reports).toEqual([]);
  });
});

it("records the ids of requests in the worker's journal, which are the channel's own", async () => {
  let count = 0;
  const { api } = fixedKeys(() => Response.json({ data: 1 }, { headers: { "x-request-id": `r${++count}` } }));
  await api.transport.send(get("/faq"));
  await api.transport.send({ ...get("/datalake/hash/"), fromOrigin: true });
  expect(api.requestIds.list()).toEqual(["r1"]);
});

it("records the last five hundred request ids, newest first", async () => {
  let count = 0;
  const { api } = fixedKeys(() => Response.json({ data: 1 }, { headers: { "x-request-id": `r${++count}` } }));
  for (let i = 0; i < 510; i++) await api.transport.send(get("/faq"));
  expect(api.requestIds.list()).toHaveLength(500);
  expect(api.requestIds.list()[0]).toBe("r510");
});
