import { describe, expect, it, vi } from "vitest";
import { methods } from "../ports/calls";
import { isApiMethod } from ".";
import { bench, givingKeys, memory, ok, refuse, type Script } from "./testing/channel";

const user = {
  id: 7,
  email: "vera@example.test",
  first_name: "Vera",
  last_name: "Viewer",
  phone: "+15550100200",
  email_verified: true,
  temporary_password: false,
  trial_period_used: false,
  is_geo_blocked: false,
  capabilities: ["WATCH"],
  featureCount: { clips: 0, downloads: 0 },
};

const signedIn = (script: Script) => {
  const database = memory();
  void database.setItem("keys", { channel_key: "northfield", api_key: "mine", user_id: 7 });
  return bench(script, database);
};

describe("the API port", () => {
  it("answers every call of the API, the account and the payments", () => {
    const wanted = Object.keys(methods).filter((name) => /^(api|account|payments)\./.test(name));
    expect(wanted.filter((name) => !isApiMethod(name))).toEqual([]);
  });
});

describe("logging in", () => {
  it("posts the form's values, stores the new key and the names, and answers without them", async () => {
    const { api, seen, events, database } = bench(givingKeys(() => ok({ api_key: "rotated", user })));
    const handle = api.account.hold({ email: user.email, password: "correct horse" });
    const answer = await api.call("api.login", { handle }, undefined);
    expect(seen.at(-1)?.body).toEqual({ email: user.email, password: "correct horse", api_key: "key-1" });
    expect(await api.keys.read()).toEqual({ channel_key: "northfield", api_key: "rotated", user_id: 7 });
    expect(JSON.stringify(answer)).not.toMatch(/vera|viewer|5550100|rotated/i);
    expect(answer).toMatchObject({ id: 7, capabilities: ["WATCH"] });
    expect(api.account.person()).toMatchObject({ first_name: "Vera", email: user.email });
    expect(await database.getItem("person")).toMatchObject({ last_name: "Viewer" });
    expect(events).toEqual(["person"]);
    expect(api.account.formValues(handle)).toBeNull();
  });

  it("is announced to other tabs once they can read the person", async () => {
    const { api, database } = bench(givingKeys(() => ok({ api_key: "rotated", user })));
    const other = bench(() => ok(null), database);
    const handle = api.account.hold({ email: user.email, password: "correct horse" });
    await api.call("api.login", { handle }, undefined);
    expect(other.api.account.person()).toBeNull();
    await other.api.account.refresh();
    expect(other.api.account.person()).toMatchObject({ first_name: "Vera" });
  });

  it("that is refused keeps the key and the form", async () => {
    const { api } = bench(givingKeys(() => refuse(400, "wrong_login")));
    const handle = api.account.hold({ email: user.email, password: "wrong" });
    await expect(api.call("api.login", { handle }, undefined)).rejects.toMatchObject({ code: "wrong_login" });
    expect(await api.keys.read()).toMatchObject({ api_key: "key-1", user_id: null });
    expect(api.account.formValues(handle)).not.toBeNull();
  });

  it("with a form of a closed page is refused before anything is sent", async () => {
    const { api, seen } = signedIn(() => ok(null));
    await expect(api.call("api.login", { handle: "handle-of-yore" }, undefined)).rejects.toMatchObject({
      code: "form_gone",
    });
    expect(seen).toEqual([]);
  });
});

describe("logging out", () => {
  it.each([
    ["is answered", () => ok({ ok: true })],
    ["gets no answer", () => Promise.reject(new TypeError("Failed to fetch"))],
  ])("forgets the key and the person when it %s", async (_, script) => {
    const { api } = signedIn(script);
    await api.account.setPerson(user);
    await api.call("api.logout", {}, undefined).catch(() => undefined);
    expect(await api.keys.read()).toEqual({ channel_key: "northfield", api_key: null, user_id: null });
    expect(api.account.person()).toBeNull();
  });

  it("doesn't end a later login in another tab", async () => {
    const { api, seen } = signedIn(() => ok(null));
    const before = await api.keys.read();
    expect(before.user_id).not.toBeNull();
    await api.call("api.logout", { user_id: 99 }, undefined);
    expect([await api.keys.read(), seen]).toEqual([before, []]);
    await api.call("api.logout", { user_id: before.user_id as number }, undefined);
    expect((await api.keys.read()).user_id).toBeNull();
    expect(seen).toHaveLength(1);
  });

  it("discards forms filled in before it, and not those filled in meanwhile", async () => {
    const { api } = signedIn(() => ok(null));
    const before = api.account.hold({ password: "theirs" });
    const leaving = api.call("api.logout", {}, undefined);
    const next = api.account.hold({ password: "the next person's" });
    await leaving;
    expect(api.account.formValues(before)).toBeNull();
    expect(api.account.formValues(next)).toEqual({ password: "the next person's" });
  });
});

describe("a mailed link that deletes an account", () => {
  const follow = async (email: string, person: typeof user | null) => {
    const { api, seen } = signedIn(() => ok({ ok: true }));
    await api.account.setPerson(person);
    const handle = api.account.hold({ email, expires: 1, signature: "s" });
    const answer = await api.call("api.confirmAccountDeletion", { handle }, undefined);
    expect(seen.map(({ path }) => path)).toEqual(["/api/delete-account-confirm"]);
    return { answer, keys: await api.keys.read(), person: api.account.person() };
  };
  const signedOutKeys = { channel_key: "northfield", api_key: null, user_id: null };
  const here = { channel_key: "northfield", api_key: "mine", user_id: 7 };

  it("forgets its key and its person (AUTH-4)", async () => {
    expect(await follow(user.email, user)).toEqual({ answer: null, keys: signedOutKeys, person: null });
  });

  it("leaves another user logged in (AUTH-4)", async () => {
    expect(await follow("anna@example.test", user)).toEqual({ answer: { other: true }, keys: here, person: user });
    expect(await follow("anna@example.test", null)).toEqual({ answer: { other: true }, keys: here, person: null });
  });
});

describe("a card", () => {
  it("is entered for a setup intent, and none of its data is returned", async () => {
    const { api, seen } = signedIn(({ path }) =>
      path.endsWith("setup-intent") ? ok({ client_secret: "si_secret" }) : ok({ payment_method_id: "pm_1" }),
    );
    const handle = api.account.hold({ number: "4242424242424242", exp: "12/30", cvc: "123" });
    expect(await api.call("payments.createCard", { handle }, undefined)).toEqual({ payment_method_id: "pm_1" });
    expect(seen[1]?.body).toMatchObject({ client_secret: "si_secret", number: "4242424242424242" });
  });

  it("in Stripe's own field becomes a payment method through the field", async () => {
    const { api } = signedIn(() => ok({ client_secret: "si_secret" }));
    const handle = api.account.hold({
      tokenize: async (secret: string) => ({ payment_method_id: `pm_for_${secret}` }),
    });
    expect(await api.call("payments.createCard", { handle }, undefined)).toEqual({
      payment_method_id: "pm_for_si_secret",
    });
  });

  it("that Stripe's own field refuses is refused with the field's message", async () => {
    const { api } = signedIn(() => ok({ client_secret: "si_secret" }));
    const refused = { code: "expired_card", message: "Your card has expired." };
    const handle = api.account.hold({ tokenize: async () => ({ refused }) });
    await expect(api.call("payments.createCard", { handle }, undefined)).rejects.toMatchObject({
      ...refused,
      status: 402,
    });
  });

  it("that is saved shows its last digits from the account port alone", async () => {
    const { api } = signedIn(() => ok([{ id: "pm_1", brand: "visa", last4: "4242", exp_month: 1, exp_year: 2030 }]));
    const cards = await api.call("api.listCards", {}, undefined);
    expect(cards).toEqual([{ id: "pm_1", brand: "visa", exp_month: 1, exp_year: 2030 }]);
    expect(api.account.lastDigits("pm_1")).toBe("4242");
  });
});

describe("a purchase", () => {
  it("is sent only under its buyer's key, and doesn't name the buyer (PAY-4)", async () => {
    const { api, seen } = signedIn(() => ok({ id: 5, client_secret: "s" }));
    const calls = (user_id: number) =>
      [
        ["api.buy", { idempotency_key: "k-1", type: "event", id: 3, user_id }],
        ["api.startTrial", { idempotency_key: "k-2", subscription_id: 60, user_id }],
        ["api.getOrder", { id: 5, user_id }],
        ["payments.createCard", { handle: api.account.hold({ number: "4242" }), user_id }],
        ["payments.confirm", { order_id: 6, user_id }],
      ] as const;
    for (const [method, args] of calls(8))
      await expect(api.call(method, args as never, undefined)).rejects.toMatchObject({ code: "wrong_user" });
    expect(seen).toEqual([]);
    for (const [method, args] of calls(7)) await api.call(method, args as never, undefined).catch(() => undefined);
    expect(seen.map(({ path }) => path)).toEqual([
      "/api/stripe/buy",
      "/api/stripe/subscription/start_trial",
      "/api/orders/5",
      "/api/stripe/setup-intent",
      "/api/stripe/sandbox-card",
      "/api/orders/6",
    ]);
    for (const { body } of seen) expect(body ?? {}).not.toHaveProperty("user_id");
  });
});

describe("the bank's question", () => {
  const order = (next_action?: object) => ({
    id: 5,
    status: "created",
    version: 1,
    ...(next_action && { next_action }),
  });
  const withSecret = { type: "confirm", client_secret: "pi_secret" };

  it("is put to the viewer, and the answer is sent with the secret that the state never saw", async () => {
    const { api, seen } = signedIn(({ path }) => (path.endsWith("/buy") ? ok(order(withSecret)) : ok({ ok: true })));
    const bought = await api.call("api.buy", { idempotency_key: "k-1", type: "event", id: 3 }, undefined);
    expect(bought).toEqual(order({ type: "confirm" }));
    expect(seen[0]?.headers.get("idempotency-key")).toBe("k-1");
    expect(seen[0]?.body).toEqual({ type: "event", id: 3, api_key: "mine" });
    let questions = 0;
    api.account.subscribe(() => {
      if (api.account.question()?.order_id === 5 && questions++ === 0) queueMicrotask(() => api.account.answer(true));
    });
    await api.call("payments.confirm", { order_id: 5 }, undefined);
    expect(seen.at(-1)?.body).toMatchObject({ client_secret: "pi_secret", accept: true });
    expect(api.account.question()).toBeNull();
  });

  it("is put again after a reload, with the secret fetched again", async () => {
    const { api, seen } = signedIn(({ path }) => (path === "/api/orders/5" ? ok(order(withSecret)) : ok({ ok: true })));
    api.account.subscribe(() => queueMicrotask(() => api.account.answer(false)));
    await api.call("payments.confirm", { order_id: 5 }, undefined);
    expect(seen.at(-1)?.body).toMatchObject({ client_secret: "pi_secret", accept: false });
  });

  it("is answered only under its buyer's key", async () => {
    const { api, seen } = signedIn(({ path }) => (path.endsWith("/buy") ? ok(order(withSecret)) : ok({ ok: true })));
    await api.call("api.buy", { idempotency_key: "k-1", type: "event", id: 3 }, undefined);
    api.account.subscribe(() => queueMicrotask(() => api.account.answer(true)));
    const confirm = (user_id: number) => api.call("payments.confirm", { order_id: 5, user_id }, undefined);
    await expect(confirm(8)).rejects.toMatchObject({ code: "wrong_user" });
    expect(seen).toHaveLength(1);
    await confirm(7);
    expect(seen.map(({ path }) => path)).toEqual(["/api/stripe/buy", "/api/stripe/sandbox-confirm"]);
  });

  it("isn't put if the order waits for nothing", async () => {
    const { api } = signedIn(() => ok(order()));
    await expect(api.call("payments.confirm", { order_id: 5 }, undefined)).rejects.toMatchObject({
      code: "nothing_to_confirm",
    });
  });

  it("is replaced by the next one, as refused", async () => {
    const { api } = signedIn(() => ok(null));
    const first = api.account.confirmPayment(5, undefined);
    const second = api.account.confirmPayment(6, undefined);
    expect(await first).toBe(false);
    expect(api.account.question()?.order_id).toBe(6);
    api.account.answer(true);
    expect(await second).toBe(true);
  });

  it("closes with the call that put it", async () => {
    const { api } = signedIn(() => ok(order(withSecret)));
    const controller = new AbortController();
    const confirming = api.call("payments.confirm", { order_id: 5 }, controller.signal);
    const put = new Promise<void>((resolve) => {
      api.account.subscribe(() => api.account.question() && resolve());
    });
    await put;
    controller.abort("left");
    await expect(confirming).rejects.toBe("left");
    expect(api.account.question()).toBeNull();
  });
});

describe("lists", () => {
  it("have an offset and total even if the worker omits them", async () => {
    const meta = { total: 40, limit: 2, offset: 4 };
    const lists = signedIn(() => ok([{ id: 1 }, { id: 2 }], { meta }));
    expect(await lists.api.call("api.listEvents", { filter: { limit: 2 } }, undefined)).toEqual({
      data: [{ id: 1 }, { id: 2 }],
      meta,
    });
    const silent = signedIn(() => ok([{ id: 1 }]));
    expect(await silent.api.call("api.listOrders", {}, undefined)).toMatchObject({ meta: { total: 1, offset: 0 } });
    expect(silent.seen[0]?.path).toBe("/api/orders?no_limit=1");
  });

  it("of locations omit the viewer's IP address", async () => {
    const { api } = signedIn(() =>
      ok({ country: "Canada", country_code: "CA", ip: "192.0.2.7", is_geo_blocked: false }),
    );
    expect(await api.call("api.getGeo", {}, undefined)).toEqual({
      country: "Canada",
      country_code: "CA",
      is_geo_blocked: false,
    });
  });
});

describe("an answer of an unexpected shape", () => {
  const card = { number: "4242424242424242", exp: "12/30", cvc: "123" };
  it.each([
    ["api.listPackages", {}, "/packages", { id: 1 }],
    ["api.listCards", {}, "/stripe/list-cards", { id: 1 }],
    ["api.getProfile", {}, "/profile", { email: "vera@example.test" }],
    ["api.updateProfile", { first_name: "Vera" }, "/profile", null],
    ["api.login", { email: "vera@example.test" }, "/v2/auth/login", { api_key: "k", user: {} }],
    ["api.register", { email: "vera@example.test" }, "/v2/auth/register", { user: { id: 7 } }],
    ["api.getOrder", { id: 5 }, "/orders/5", null],
    ["api.buy", { idempotency_key: "k" }, "/stripe/buy", { id: "5" }],
    ["payments.createCard", card, "/stripe/setup-intent", {}],
    ["payments.createCard", card, "/stripe/sandbox-card", { client_secret: "s" }],
    ["api.getAnalyticsSession", {}, "/datalake/hash/", ""],
  ] as const)("counts as none, and the error log gets a line (ERR-7): %s %j %s", async (method, args, url, data) => {
    const { api, reports } = signedIn(() => ok(data));
    const withHandle = { ...args, handle: api.account.hold(args) };
    await expect(api.call(method, withHandle, undefined)).rejects.toMatchObject({ code: "unexpected_answer" });
    await vi.waitFor(
      () => expect(reports).toMatchObject([{ status: 0, url, message: expect.stringMatching(/^unexpected_answer: /) }]),
      { timeout: 60_000 },
    );
  });
});
