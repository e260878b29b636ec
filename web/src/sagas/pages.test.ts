import { describe, expect, it } from "vitest";
import { customerPortalPressed, eventDownloadPressed, socialLoginPressed } from "../slices/account";
import { authActions } from "../slices/auth";
import { autoRenewActions } from "../slices/autoRenew";
import { checkoutActions, selectCoupon } from "../slices/checkout";
import { clipsActions } from "../slices/clips";
import { connectionInputs } from "../slices/connection";
import { deviceActions } from "../slices/devices";
import { throttled } from "../slices/errorScreen";
import { preferencesActions, selectPreference } from "../slices/preferences";
import { queryActions } from "../slices/queries";
import { toastActions } from "../slices/toast";
import { aClip, paid } from "./testing/resources";
import { openViewerWorld, openWorld, refusing, type Script, silence } from "./testing/world";

describe("a toast", () => {
  it("stays 5 s and is informational by default (TOAST-1)", async () => {
    const world = await openWorld();
    world.ui(toastActions.wanted({ text: "Saved" }));
    expect(world.state().toast).toMatchObject([{ text: "Saved", type: "info" }]);
    await world.pass(4_999);
    expect(world.state().toast).toHaveLength(1);
    await world.pass(1);
    expect(world.state().toast).toEqual([]);
    world.expectReplays();
  });

  it("stays while the pointer is on it, and its time survives a reload", async () => {
    const world = await openWorld();
    world.ui(toastActions.wanted({ text: "Saved", time: 3_000 }));
    const { id } = world.state().toast[0] ?? { id: "" };
    world.ui(toastActions.held({ id }));
    await world.pass(60_000);
    expect(world.state().toast).toHaveLength(1);
    world.ui(toastActions.released({ id }));
    await world.pass(1_000);
    await world.reload();
    await world.pass(999);
    expect(world.state().toast).toHaveLength(1);
    await world.pass(1);
    expect(world.state().toast).toEqual([]);
    world.expectReplays();
  });

  it("appears once for too many requests (ERR-1)", async () => {
    const world = await openWorld();
    world.input("api", throttled({ retry_after_ms: null }));
    world.input("api", throttled({ retry_after_ms: 1_000 }));
    expect(world.state().toast).toHaveLength(1);
    world.expectReplays();
  });
});

describe("a preference", () => {
  it("is stored for 360 days (LIM-2)", async () => {
    const world = await openWorld({ "sync.connect": silence });
    world.ui(preferencesActions.chose({ name: "language", value: "fr" }));
    const { expires_at } = world.state().preferences.chosen["touchline.language"] ?? { expires_at: 0 };
    expect(expires_at - world.now()).toBe(360 * 86_400_000);
    await world.reload();
    expect(selectPreference("language")(world.state())).toBe("fr");
    world.ui({ type: "preferences/expired", payload: { at: expires_at } });
    expect(selectPreference("language")(world.state())).toBeNull();
  });
});

describe("a promo code", () => {
  const coupon = { code: "SPRING", base_price: 999, discount: 100, service_fee: 100, total: 999, currency: "USD" };
  const entered = checkoutActions.couponEntered({ type: "event", id: 100, code: "spring" });

  it("shows its discount, or the message for a wrong one (PAY-6)", async () => {
    const world = await openViewerWorld({ "api.applyCoupon": () => coupon });
    world.ui(entered);
    await world.pass();
    expect(selectCoupon(world.state())).toEqual({ at: "applied", type: "event", id: 100, coupon });
    world.script["api.applyCoupon"] = refusing(400, "Wrong promo code.");
    world.ui(entered);
    await world.pass();
    expect(selectCoupon(world.state())).toEqual({ at: "refused", code: "spring", message: "Wrong promo code." });
    world.expectReplays();
  });

  it("of another page is dropped", async () => {
    let answer: (given: typeof coupon) => void = () => undefined;
    const world = await openViewerWorld({ "api.applyCoupon": () => new Promise((resolve) => (answer = resolve)) });
    world.ui(entered);
    await world.pass();
    world.ui(checkoutActions.pageOpened());
    answer(coupon);
    await world.pass();
    expect(selectCoupon(world.state())).toEqual({ at: "none" });
    world.expectReplays();
  });
});

describe("auto-renew", () => {
  const order = (auto_renew: "active" | "cancelled", version: number) =>
    paid({
      version,
      type: "subscription",
      product: { id: 60, name: "Monthly" },
      subscription: { status: "active", auto_renew, current_period_end: "2026-10-21T00:00:00.000Z" },
    });
  const orders = (auto_renew: "active" | "cancelled", version: number): Script => ({
    "api.listOrders": () => ({ data: [order(auto_renew, version)], meta: { total: 1, limit: 1, offset: 0 } }),
  });
  const key = "60";
  const press = autoRenewActions.cancelPressed({ key });

  it("is cancelled, and finished once the subscription says so (SUB-3)", async () => {
    const world = await openViewerWorld({ ...orders("active", 2), "api.unsubscribe": () => null });
    world.ui(press);
    world.ui(press);
    await world.pass();
    expect(world.calls("api.unsubscribe")).toEqual([{ subscription_id: 60 }]);
    expect(world.state().autoRenew[key]).toEqual({ at: "cancelled" });
    Object.assign(world.script, orders("cancelled", 3));
    await world.reload();
    expect(world.state().autoRenew[key]).toEqual({ at: "finished" });
    world.expectReplays();
  });

  it("shows a failure, and can be retried", async () => {
    const world = await openViewerWorld({ ...orders("cancelled", 3), "api.unsubscribe": refusing(400, "Not now.") });
    world.ui(press);
    await world.pass();
    expect(world.state().autoRenew[key]).toEqual({ at: "failed", message: "Not now." });
    world.script["api.unsubscribe"] = () => null;
    world.ui(press);
    await world.pass();
    expect(world.state().autoRenew[key]).toEqual({ at: "finished" });
    world.expectReplays();
  });

  it("continues after a reload, and is active again after another purchase", async () => {
    const world = await openViewerWorld({ ...orders("cancelled", 3), "api.unsubscribe": silence });
    world.ui(press);
    await world.pass();
    world.script["api.unsubscribe"] = () => null;
    await world.reload();
    expect(world.calls("api.unsubscribe")).toHaveLength(2);
    expect(world.state().autoRenew[key]).toEqual({ at: "finished" });
    const state = order("active", 4);
    world.input(
      "sync",
      connectionInputs.statusReceived({ stream: "user", seq: 1, kind: "order", id: 55, version: 4, state }),
    );
    expect(world.state().autoRenew[key]).toEqual({ at: "active" });
    world.expectReplays();
  });

  const answers: [name: string, answer: () => null][] = [
    ["yes", () => null],
    ["no", refusing(400, "Not now.")],
  ];

  it.each(answers)("stays finished if its end is pushed before the answer, %s", async (_, answer) => {
    let settle: () => void = () => undefined;
    const settled = new Promise<void>((resolve) => (settle = resolve));
    const world = await openViewerWorld({ "api.unsubscribe": () => settled.then(answer) });
    world.ui(press);
    await world.pass();
    const state = order("cancelled", 3);
    const frame = { stream: "user", seq: 1, kind: "order", id: 55, version: 3, state } as const;
    world.input("sync", connectionInputs.statusReceived(frame));
    expect(world.state().autoRenew[key]).toEqual({ at: "finished" });
    settle();
    await world.pass();
    expect(world.state().autoRenew[key]).toEqual({ at: "finished" });
    world.expectReplays();
  });

  it.each(answers)("affects nobody once the viewer has logged out, whatever the answer: %s", async (_, answer) => {
    let settle: () => void = () => undefined;
    const settled = new Promise<void>((resolve) => (settle = resolve));
    const world = await openViewerWorld({ "api.unsubscribe": () => settled.then(answer) });
    world.ui(press);
    world.ui(authActions.logoutPressed());
    await world.pass();
    settle();
    await world.pass();
    expect(world.state().autoRenew).toEqual({});
    world.expectReplays();
  });
});

describe("the account's buttons", () => {
  it("send the viewer to a social login, or say why not (AUTH-1)", async () => {
    const world = await openWorld({
      "api.startSocialLogin": ({ provider }) => ({ url: `https://${provider}.test/authorize?state=once` }),
    });
    world.ui(socialLoginPressed({ provider: "google" }));
    await world.pass();
    expect(world.calls("ui.openUrl")).toEqual([{ url: "https://google.test/authorize?state=once" }]);
    world.script["api.startSocialLogin"] = refusing(404, "Not found.");
    world.ui(socialLoginPressed({ provider: "facebook" }));
    await world.pass();
    expect(world.calls("ui.openUrl")).toHaveLength(1);
    expect(world.state().toast.at(-1)).toMatchObject({ text: "Not found.", type: "error" });
    world.expectReplays();
  });

  it("open the customer portal and files, and count a download (USER-3)", async () => {
    const world = await openViewerWorld({
      "api.getCustomerPortal": () => ({ url: "https://pay.test/portal" }),
      "api.downloadEvent": () => ({ handle: "event" }),
      "api.downloadClip": () => ({ handle: "clip" }),
    });
    world.ui(customerPortalPressed());
    world.ui(eventDownloadPressed({ id: 100 }));
    world.ui(clipsActions.downloadPressed({ id: 70 }));
    await world.pass();
    expect(world.calls("ui.openUrl")).toEqual([{ url: "https://pay.test/portal" }]);
    expect(world.calls("ui.download")).toEqual([{ handle: "event" }, { handle: "clip" }]);
    expect(world.state().user.featureCount.downloads).toBe(2);
    world.expectReplays();
  });

  it("delete a clip, and show a refusal (CLIP-3)", async () => {
    const world = await openViewerWorld({
      "api.listUserClips": () => [aClip(), aClip({ id: 71 })],
      "api.deleteClip": refusing(403, "Not yours."),
    });
    world.ui(queryActions.wanted({ method: "api.listUserClips", args: {} }));
    await world.pass();
    world.ui(clipsActions.deletePressed({ id: 70 }));
    await world.pass();
    expect(world.state().clips.deleting).toEqual({ 70: "refused" });
    expect(world.state().toast.at(-1)).toMatchObject({ text: "Not yours.", type: "error" });
    world.script["api.deleteClip"] = refusing(404, "Unknown.");
    world.ui(clipsActions.deletePressed({ id: 70 }));
    await world.pass();
    expect(world.state().clips.mine).toEqual([71]);
    world.expectReplays();
  });

  it("continue deleting a clip for a closed page", async () => {
    const world = await openViewerWorld({
      "api.listUserClips": () => [aClip({ id: 70 }), aClip({ id: 71 })],
      "api.deleteClip": silence,
    });
    world.ui(queryActions.wanted({ method: "api.listUserClips", args: {} }));
    await world.pass();
    world.ui(clipsActions.deletePressed({ id: 70 }));
    await world.pass();
    world.script["api.deleteClip"] = () => null;
    await world.reload();
    await world.pass();
    expect(world.state().clips).toMatchObject({ mine: [71], deleting: {} });
    world.expectReplays();
  });

  it("leave nothing of the previous viewer: no cancelled renewal", async () => {
    const world = await openViewerWorld({ "api.unsubscribe": refusing(500, "Not now.") });
    world.ui(autoRenewActions.cancelPressed({ key: "7" }));
    await world.pass();
    expect(world.state().autoRenew).toMatchObject({ 7: { at: "failed" } });
    world.ui(authActions.logoutPressed());
    await world.pass();
    expect(world.state().autoRenew).toEqual({});
    world.expectReplays();
  });

  it.each([
    ["that exists", () => null],
    ["that is already gone", refusing(404, "Unknown.")],
  ])("revoke a device %s (AUTH-5)", async (_, revoke) => {
    const device = { id: 1, name: "TV", created_at: "", last_seen_at: "", current: false };
    const world = await openViewerWorld({ "api.listSessions": () => [device], "api.revokeSession": revoke });
    world.ui(queryActions.wanted({ method: "api.listSessions", args: {} }));
    await world.pass();
    world.ui(deviceActions.revokePressed({ id: 1 }));
    await world.pass();
    expect(world.state().devices).toEqual([]);
    world.expectReplays();
  });

  it("remove a connected account (AUTH-9)", async () => {
    const device = { id: 1, name: "TV", created_at: "", last_seen_at: "", current: false };
    const login = { ...device, id: -1, name: "google", provider: "google" };
    const calls: unknown[] = [];
    const world = await openViewerWorld({
      "api.listSessions": () => [device, login],
      "api.unlinkLogin": (args) => {
        calls.push(args);
        return null;
      },
    });
    world.ui(queryActions.wanted({ method: "api.listSessions", args: {} }));
    await world.pass();
    world.ui(deviceActions.unlinkPressed({ id: -1, provider: "google" }));
    await world.pass();
    expect(world.state().devices).toEqual([device]);
    expect(calls).toEqual([{ provider: "google" }]);
    world.expectReplays();
  });
});
