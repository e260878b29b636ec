import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { bench, memory, ok } from "../api/testing/channel";
import { speak, texts } from "../i18n/locale";
import { sentence } from "../i18n/sentence";
import type { FormName } from "../machines/form";
import { type Method, methods } from "../ports/world";
import {
  aBootstrap,
  aClip,
  anEvent,
  anOrder,
  aPackage,
  aProfile,
  aSubscription,
  paid,
} from "../sagas/testing/resources";
import { openWorld, type Script, type TestWorld, viewer } from "../sagas/testing/world";
import {
  cardPressed,
  customerPortalPressed,
  eventDownloadPressed,
  renewalCardChosen,
  socialLoginPressed,
} from "../slices/account";
import { autoRenewActions } from "../slices/autoRenew";
import { checkoutActions } from "../slices/checkout";
import { clipsActions } from "../slices/clips";
import { deviceActions } from "../slices/devices";
import { formActions } from "../slices/form";
import { loginActions } from "../slices/login";
import { purchaseActions } from "../slices/purchase";
import { type Query, queryActions, queryKey } from "../slices/queries";
import { startupActions } from "../slices/startup";
import { selectToasts } from "../slices/toast";
import { WORKER_MESSAGES } from "./testing/sentences";

/** Client-side validation messages. */
const SITE_MESSAGES = [
  "id not selected",
  "Single event package id not selected",
  "Package is TeamPass but team not selected",
  "You’re offline. Try again when you’re back online.",
  "You’re offline. You need a connection to buy. You haven’t been charged.",
  "Too many requests. Please try again in a moment.",
  "user must be logged in",
  "You have already used your free trial.",
  "Please select one of your saved cards or enter new one.",
  "Please select tag.",
  "Please fill in the input field.",
  "Your clip duration is longer than the end time.",
  "no api key",
  "This request belongs to another user.",
  "This payment is not awaiting bank confirmation.",
] as const;

const worker = (path: string): string =>
  readFileSync(resolve(import.meta.dirname, "../../../worker/channel/src", path), "utf8");

/** The worker's messages, and those of its payments about a card. */
const WORKER_SOURCE_MESSAGES = [
  ...worker("messages.rs").matchAll(/: &str = "([^"]+)";/g),
  ...worker("payments/sandbox.rs").matchAll(/"(Your card [^"]+)"/g),
].map(([, sentence = ""]) => sentence);

/** A screen's call: its trigger, and where its refusal is displayed. */
interface Row {
  readonly method: Method;
  press(world: TestWorld, handle: () => string): void;
  shown(world: TestWorld): string | undefined;
  /** The answer of a recovered worker, and the sign that the site continued. */
  readonly answer: unknown;
  done(world: TestWorld): boolean;
  readonly anonymous?: true;
}

const user = { ...aProfile(), first_name: "V", last_name: "Z", email: "v@viewer.example", phone: "" };
const refusalOf = ({ login }: ReturnType<TestWorld["state"]>) => (login.at === "refused" ? login.refusal : null);

const signIn = (method: Method, way: "login" | "register" | "social"): Row => ({
  method,
  anonymous: true,
  press: (world, handle) => world.ui(loginActions.submitted({ way, handle: handle(), provider: "google" })),
  shown: (world) => refusalOf(world.state())?.message,
  answer: { api_key: "new", user },
  done: (world) => world.state().auth.at === "authenticated",
});

const form = (method: Method, key: FormName, answer: unknown = null): Row => ({
  method,
  press: (world, handle) => world.ui(formActions.submitted({ key, handle: handle() })),
  shown(world) {
    const state = world.state().form[key];
    return state?.at === "refused" ? state.refusal.message : undefined;
  },
  answer,
  done: (world) => world.state().form[key]?.at === "done",
});

const buying = (method: Method, kind: "event" | "trial"): Row => ({
  method,
  press: (world) =>
    world.ui(
      purchaseActions.submitPressed({
        choice: {
          kind,
          id: kind === "event" ? 100 : aSubscription().id,
          single_event_package_id: 500,
          payment_method_id: "pm",
        },
      }),
    ),
  shown({ state }) {
    const { purchase } = state();
    return purchase.at === "rejected" ? purchase.message : undefined;
  },
  answer: paid(),
  done: (world) => world.state().purchase.at === "succeeded",
});

/** A button whose refusal is a notice. */
const button = (method: Method, action: { type: string; payload?: unknown }, answer: unknown, then: Method): Row => ({
  method,
  press: (world) => world.ui(action),
  shown: (world) => selectToasts(world.state()).at(-1)?.text,
  answer,
  done: (world) => then === method || world.calls(then).length > 0,
});

const link = { url: "https://files.northfield.test/1" };
const file = { download_url: "/media/northfield/d/e11/1-2-3-signed/download.mp4", expires: 4_102_444_800 };

const rows: readonly Row[] = [
  signIn("api.login", "login"),
  signIn("api.register", "register"),
  signIn("api.socialLogin", "social"),
  form("api.updateProfile", "profile", user),
  form("api.verifyEmail", "verifyEmail"),
  form("api.requestVerification", "requestVerification"),
  form("api.requestPasswordReset", "passwordResetRequest"),
  form("api.resetPassword", "passwordReset"),
  form("api.requestAccountDeletion", "requestDeletion"),
  form("api.confirmAccountDeletion", "confirmDeletion"),
  form("api.addSession", "addSession"),
  form("api.submitCustomForm", "customForm"),
  {
    method: "api.applyCoupon",
    press: (world) => world.ui(checkoutActions.couponEntered({ type: "event", id: 100, code: "SPRING" })),
    shown({ state }) {
      const { coupon } = state().checkout;
      return coupon.at === "refused" ? coupon.message : undefined;
    },
    answer: { code: "SPRING", base_price: 999, discount: 99, total: 900, currency: "USD" },
    done: (world) => world.state().checkout.coupon.at === "applied",
  },
  buying("api.buy", "event"),
  buying("api.startTrial", "trial"),
  {
    method: "api.unsubscribe",
    press: (world) => world.ui(autoRenewActions.cancelPressed({ key: "60" })),
    shown({ state }) {
      const now = state().autoRenew["60"];
      return now?.at === "failed" ? now.message : undefined;
    },
    answer: anOrder(),
    done: (world) => world.state().autoRenew["60"]?.at === "cancelled",
  },
  {
    method: "api.resumeRenewal",
    press: (world) => world.ui(autoRenewActions.keepPressed({ key: "60" })),
    shown({ state }) {
      const now = state().autoRenew["60"];
      return now?.at === "keepFailed" ? now.message : undefined;
    },
    answer: anOrder(),
    done: (world) => world.state().autoRenew["60"]?.at === "finished",
  },
  {
    method: "api.useCard",
    press: (world) => world.ui(renewalCardChosen({ subscription_id: 60, payment_method_id: "pm", handle: null })),
    shown: ({ state }) => selectToasts(state()).at(-1)?.text,
    answer: anOrder(),
    done: (world) => world.calls("api.useCard").length > 1,
  },
  button("api.saveCard", cardPressed({ act: "default", payment_method_id: "pm", handle: null }), null, "api.listCards"),
  button(
    "api.removeCard",
    cardPressed({ act: "remove", payment_method_id: "pm", handle: null }),
    null,
    "api.listCards",
  ),
  button("api.getCustomerPortal", customerPortalPressed(), link, "ui.openUrl"),
  button("api.startSocialLogin", socialLoginPressed({ provider: "google" }), link, "ui.openUrl"),
  button("api.downloadEvent", eventDownloadPressed({ id: 100 }), file, "ui.download"),
  button("api.downloadClip", clipsActions.downloadPressed({ id: 70 }), file, "ui.download"),
  button("api.deleteClip", clipsActions.deletePressed({ id: 70 }), null, "api.deleteClip"),
  button("api.revokeSession", deviceActions.revokePressed({ id: 3 }), null, "api.revokeSession"),
  button("api.unlinkLogin", deviceActions.unlinkPressed({ id: -1, provider: "google" }), null, "api.unlinkLogin"),
];

/** The client's real API over a scripted channel, for one method of a page. */
async function open(
  method: Method,
  script: Script,
): Promise<{ world: TestWorld; say(next: Response): void; handle(): string; reports: object[] }> {
  const database = memory();
  await database.setItem("keys", { channel_key: "northfield", api_key: "mine", user_id: 7 });
  let next: Response = ok(null);
  const { api, reports } = bench(({ path }) => (path.startsWith("/keys/") ? ok(null) : next.clone()), database);
  const world = await openWorld({
    ...script,
    [method]: (args: object) => api.call(method as never, args, undefined),
  });
  return {
    world,
    say: (response) => {
      next = response;
    },
    handle: () => api.account.hold({ email: "v@viewer.example", password: "correct horse" }),
    reports,
  };
}

const refusing = (message: string, status = 400): Response =>
  Response.json({ message, code: "refused", errors: {} }, { status });

const until = (holds: () => void) => vi.waitFor(holds, { timeout: 60_000, interval: 1 });

describe.each(rows.map((row) => ({ name: row.method, row })))("$name", ({ row }) => {
  it("shows every message of the catalogue, and continues", async () => {
    const { world, say, handle } = await open(row.method, {
      ...(row.anonymous ? {} : viewer()),
      "api.getEvent": () => anEvent(),
      "api.listOrders": () => ({ data: [], meta: { total: 0, limit: 0, offset: 0 } }),
    });
    world.ui(queryActions.wanted({ method: "api.getEvent", args: { id: 100 } }));
    await world.pass();
    for (const message of WORKER_MESSAGES) {
      say(refusing(message));
      row.press(world, handle);
      await until(() => expect(row.shown(world)).toBe(message));
      await world.pass();
    }
    say(ok(row.answer));
    const before = world.calls(row.method).length;
    row.press(world, handle);
    await until(() => expect(row.done(world)).toBe(true));
    await until(() => expect(world.calls(row.method)).toHaveLength(before + 1));
    world.expectExpected();
  });
});

/** The screens' reads, with successful answers. */
const reads: readonly (readonly [query: Query, answer: unknown])[] = [
  [{ method: "api.getBootstrap", args: {} }, aBootstrap()],
  [{ method: "api.getParticipants", args: {} }, []],
  [
    { method: "api.getUserAccess", args: {} },
    { events: [], packages: [], subscriptions: [] },
  ],
  [
    { method: "api.getPage", args: { id: 1 } },
    { id: 1, title: "About", content: "", url: "/about" },
  ],
  [{ method: "api.listSlides", args: {} }, []],
  [{ method: "api.listPopups", args: {} }, []],
  [
    { method: "api.getGeo", args: {} },
    { country: "US", blocked: false },
  ],
  [
    { method: "api.getCustomForm", args: { alias: "contact" } },
    { alias: "contact", fields: [] },
  ],
  [{ method: "api.listEvents", args: { filter: {} } }, []],
  [{ method: "api.listHomeRails", args: {} }, []],
  [{ method: "api.listFavouriteEvents", args: { filter: {} } }, []],
  [{ method: "api.getEvent", args: { id: 100 } }, anEvent()],
  [{ method: "api.listPackages", args: {} }, []],
  [{ method: "api.listPackageContents", args: {} }, []],
  [{ method: "api.listEventStarts", args: { filter: {} } }, []],
  [{ method: "api.getPackage", args: { id: 40 } }, aPackage()],
  [{ method: "api.listSubscriptions", args: {} }, []],
  [{ method: "api.listOrders", args: {} }, []],
  [{ method: "api.listTransactions", args: {} }, []],
  [{ method: "api.getOrder", args: { id: 55 } }, anOrder()],
  [{ method: "api.listCards", args: {} }, []],
  [{ method: "api.listSessions", args: {} }, []],
  [{ method: "api.listVodRails", args: {} }, []],
  [{ method: "api.listVodItems", args: {} }, []],
  [
    { method: "api.getVodItem", args: { id: 5 } },
    { id: 5, name: "Replay", media: [], version: 1 },
  ],
  [{ method: "api.listVodCategories", args: {} }, []],
  [
    { method: "api.search", args: { q: "a" } },
    {
      events: { data: [], meta: { total: 0, limit: 24, offset: 0 } },
      participants: { data: [], meta: { total: 0, limit: 24, offset: 0 } },
      participant_groups: { data: [], meta: { total: 0, limit: 24, offset: 0 } },
      vod_media_items: { data: [], meta: { total: 0, limit: 24, offset: 0 } },
      pages: { data: [], meta: { total: 0, limit: 24, offset: 0 } },
    },
  ],
  [{ method: "api.searchVod", args: { title: "a", limit: 1, offset: 0, sort_field: "title" } }, []],
  [{ method: "api.listEventClips", args: { event_id: 100 } }, []],
  [{ method: "api.listVodClips", args: { vod_id: 30 } }, []],
  [{ method: "api.listEventsWithClip", args: { filter: {} } }, []],
  [{ method: "api.listUserClips", args: {} }, []],
  [{ method: "api.getSharedClip", args: { id: 70, uuid: "u" } }, aClip()],
  [{ method: "api.listFavourites", args: {} }, []],
  [{ method: "api.listPlayback", args: {} }, []],
];

describe.each(reads.map(([query, answer]) => ({ name: query.method, query, answer })))(
  "reading by $name",
  ({ query, answer }) => {
    it("fails with every message of the catalogue, is reported, and can be retried", async () => {
      const { world, say, reports } = await open(query.method, viewer());
      const now = () => world.state().queries[queryKey(query)];
      // Start-up makes some of these reads itself.
      await world.pass();
      let read = queryActions.wanted;
      for (const message of WORKER_MESSAGES) {
        const reported = reports.length;
        say(refusing(message));
        world.ui(read(query));
        await until(() => expect(now()).toMatchObject({ at: "failed", error: { message } }));
        await until(() => expect(reports).toHaveLength(reported + 1));
        read = queryActions.retryPressed;
      }
      say(ok(answer, { meta: { total: 0, limit: 0, offset: 0 } }));
      world.ui(read(query));
      await until(() => expect(now()).toMatchObject({ at: "loaded", error: null }));
      world.expectExpected();
    });
  },
);

it("every call of the channel has a test of its refusal", () => {
  const elsewhere: readonly Method[] = [
    // e2e/account/capabilities.spec.ts: every poll before the code was entered is refused.
    "api.deviceLogin",
    // Below.
    "api.getChannelKey",
    "api.getApiKey",
    // src/sagas/refusals.test.ts
    "api.getProfile",
    "api.logout",
    "api.getAnalyticsSession",
    "payments.confirm",
    // src/sagas/positions.test.ts
    "api.savePlayback",
    // errors.test.tsx
    "payments.createCard",
  ];
  const refused = [...rows.map(({ method }) => method), ...reads.map(([{ method }]) => method), ...elsewhere];
  expect(refused.sort()).toEqual(
    Object.keys(methods)
      .filter((name) => /^(api|payments)\./.test(name))
      .sort(),
  );
});

describe("a site without keys", () => {
  it.each(WORKER_MESSAGES)("says that it can't open, and opens after a reload: %s", async (message) => {
    const database = memory();
    let key: Response = refusing(message);
    const channel = bench(
      ({ path }) => (path.startsWith("/keys/") ? Response.json({ channel_key: "northfield" }) : key.clone()),
      database,
    );
    const getApiKey = () => channel.api.call("api.getApiKey", {}, undefined) as Promise<null>;
    const world = await openWorld({ "api.getApiKey": getApiKey });
    await until(() => expect(world.state().startup).toMatchObject({ at: "keyFailed", stage: "apiKey" }));
    await world.pass(60_000);
    key = ok({ api_key: "new" });
    world.ui(startupActions.reloadPressed());
    await until(() => expect(world.calls("ui.reload")).toHaveLength(1));
    await world.pass();
    expect(world.state().startup.at).toBe("ready");
    world.expectExpected();
  });
});

describe("the catalogue in the viewer's language", () => {
  afterEach(() => texts.speak("en"));

  it("is tested with every message of the worker", () => {
    expect(WORKER_SOURCE_MESSAGES.length).toBeGreaterThan(40);
  });

  it.each([...new Set([...WORKER_MESSAGES, ...SITE_MESSAGES, ...WORKER_SOURCE_MESSAGES])])(
    "has: %s",
    async (message) => {
      expect(sentence(texts.spoken().t, message)).toBe(
        // The worker's own sentence has no full stop there (VAL-1).
        message.replace(/^(A valid email.*)\.$/, "$1"),
      );
      expect(await speak("fr")).toBe("fr");
      const french = sentence(texts.spoken().t, message);
      expect(french).not.toBe(message);
      expect(french).not.toBe("");
    },
  );
});
