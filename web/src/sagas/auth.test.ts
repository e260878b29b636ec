import { describe, expect, it } from "vitest";
import { authActions } from "../slices/auth";
import { formActions } from "../slices/form";
import { loginActions } from "../slices/login";
import { navigationActions } from "../slices/navigation";
import { queryActions } from "../slices/queries";
import { anOrder, aProfile } from "./testing/resources";
import { away, openViewerWorld, openWorld, refusing, silence, viewer } from "./testing/world";

const login = loginActions.submitted({ way: "login", handle: "h1" });

describe("logging in", () => {
  it("stores the viewer and rereads the page's data (AUTH-1)", async () => {
    const world = await openWorld({ "api.login": () => aProfile(), "api.listHomeRails": () => [] });
    world.ui(queryActions.wanted({ method: "api.listHomeRails", args: {} }));
    world.ui(login);
    await world.pass();
    expect(world.calls("api.login")).toEqual([{ handle: "h1" }]);
    expect(world.state().auth).toEqual({ at: "authenticated", userId: 7 });
    expect(world.state().user.flags).toMatchObject({ temporary_password: false });
    expect(world.calls("api.listHomeRails")).toHaveLength(2);
    world.expectReplays();
  });

  it("shows the worker's refusal, field by field", async () => {
    const world = await openWorld({ "api.login": refusing(400, "Wrong auth data.", "wrong_auth") });
    world.ui(login);
    await world.pass();
    expect(world.state().login).toEqual({
      at: "refused",
      refusal: { code: "wrong_auth", message: "Wrong auth data.", errors: {} },
    });
    world.ui(loginActions.refusalSeen());
    expect(world.state().login).toEqual({ at: "idle" });
    world.expectReplays();
  });

  it("is requested once, however often the button is pressed", async () => {
    const world = await openWorld({ "api.register": silence });
    world.ui(loginActions.submitted({ way: "register", handle: "h1" }));
    world.ui(loginActions.submitted({ way: "register", handle: "h2" }));
    await world.pass();
    expect(world.calls("api.register")).toEqual([{ handle: "h1" }]);
  });

  it("survives a reset of the key that it was sent with", async () => {
    let answer: (profile: ReturnType<typeof aProfile>) => void = () => undefined;
    const world = await openWorld({ "api.socialLogin": () => new Promise((resolve) => (answer = resolve)) });
    world.ui(loginActions.submitted({ way: "social", handle: "h1", provider: "google" }));
    await world.pass();
    world.input("api", authActions.reset({ reason: "api_key" }));
    answer(aProfile());
    await world.pass();
    expect(world.calls("api.socialLogin")).toEqual([{ provider: "google", handle: "h1" }]);
    expect(world.state().auth).toEqual({ at: "authenticated", userId: 7 });
    world.expectReplays();
  });

  it("interrupted by a reload ends according to the key", async () => {
    const world = await openWorld({ "api.login": silence });
    world.ui(login);
    await world.pass();
    await world.reload();
    expect(world.state().login).toMatchObject({ at: "refused", refusal: { code: "interrupted" } });
    world.ui(login);
    await world.pass();
    Object.assign(world.script, viewer());
    await world.reload();
    expect(world.state().auth).toEqual({ at: "authenticated", userId: 7 });
    world.expectReplays();
  });
});

describe("logging out", () => {
  it("clears the viewer's data, drops the tracking value, and gets an anonymous key (AUTH-2)", async () => {
    const world = await openViewerWorld({
      "api.listOrders": () => ({ data: [anOrder()], meta: { total: 1, limit: 1, offset: 0 } }),
    });
    const page = { name: "home", path: "/", params: {}, query: {} };
    world.ui(navigationActions.pageOpened({ page, remembered: true, trk: "flyer" }));
    world.ui(queryActions.wanted({ method: "api.listOrders", args: {} }));
    await world.pass();
    expect(world.state().preferences.trk).toEqual({ value: "flyer", expires_at: world.now() + 3 * 3_600_000 });
    world.script["api.listOrders"] = refusing(401, "Unauthenticated.");
    world.ui(authActions.logoutPressed());
    await world.pass();
    expect(world.state()).toMatchObject({
      auth: { at: "anonymous" },
      user: { flags: null },
      orders: { byId: {}, complete: false },
      preferences: { trk: null },
    });
    expect(world.calls("api.getApiKey").length).toBe(2);
    world.expectReplays();
  });

  it("does so without a network, and after a reload in the middle of it", async () => {
    const world = await openViewerWorld({ "api.logout": silence });
    world.ui(authActions.logoutPressed());
    await world.pass();
    expect(world.state().auth.at).toBe("loggingOut");
    world.script["account.status"] = () => ({ channel_key: true, api_key: false, user_id: null });
    world.script["api.logout"] = away;
    await world.reload();
    expect(world.state().auth.at).toBe("anonymous");
    world.expectReplays();
  });

  it("allows sending a form that was filled in before the worker answered", async () => {
    let answer: () => void = () => undefined;
    const world = await openViewerWorld({
      "api.logout": () => new Promise((resolve) => (answer = () => resolve(null))),
      "api.login": () => aProfile(),
    });
    world.ui(authActions.logoutPressed());
    await world.pass();
    world.ui(login);
    await world.pass();
    expect(world.calls("api.login")).toEqual([]);
    expect(world.state().login).toMatchObject({ at: "sending" });
    answer();
    await world.pass();
    expect(world.calls("api.login")).toEqual([{ handle: "h1" }]);
    expect(world.state().auth).toEqual({ at: "authenticated", userId: 7 });
    world.expectReplays();
  });
});

describe("a logged-in viewer", () => {
  it.each([
    ["api_key", "anonymous"],
    ["unauthenticated", "anonymous"],
  ] as const)("is reset when the key no longer belongs to them: %s (AUTH-3)", async (reason, at) => {
    for (const temporary_password of [false, true]) {
      const world = await openWorld(viewer(aProfile({ temporary_password })));
      world.input("api", authActions.reset({ reason }));
      expect(world.state().auth.at).toBe(at);
      expect(world.state().user.flags).toBeNull();
    }
  });

  it("must change a password that became temporary, and may log out instead", async () => {
    const world = await openViewerWorld();
    world.script["api.getProfile"] = () => aProfile({ temporary_password: true });
    await world.reload();
    expect(world.state().auth.at).toBe("mustChangePassword");
    world.ui(authActions.logoutPressed());
    await world.pass();
    expect(world.state().auth.at).toBe("anonymous");
    world.expectReplays();
  });

  it("in the middle of logging out is logged out when the worker answers unauthenticated", async () => {
    const world = await openViewerWorld({ "api.logout": silence });
    world.ui(authActions.logoutPressed());
    await world.pass();
    world.input("api", authActions.reset({ reason: "unauthenticated" }));
    expect(world.state().auth).toEqual({ at: "anonymous" });
  });
});

describe("a profile that is loading", () => {
  it("doesn't restore a viewer who logged out meanwhile", async () => {
    let answer: (profile: ReturnType<typeof aProfile>) => void = () => undefined;
    const world = await openViewerWorld();
    world.script["api.getProfile"] = () => new Promise((resolve) => (answer = resolve));
    await world.reload();
    world.ui(authActions.logoutPressed());
    await world.pass();
    answer(aProfile());
    await world.pass();
    expect(world.state().auth.at).toBe("anonymous");
    world.expectReplays();
  });
});

describe("the account's other forms", () => {
  it("change the profile, and with it whether the password is temporary", async () => {
    const world = await openWorld({
      ...viewer(aProfile({ temporary_password: true })),
      "api.updateProfile": () => aProfile(),
    });
    expect(world.state().auth.at).toBe("mustChangePassword");
    world.ui(formActions.submitted({ key: "profile", handle: "h1" }));
    world.ui(formActions.submitted({ key: "profile", handle: "h1" }));
    await world.pass();
    expect(world.calls("api.updateProfile")).toEqual([{ handle: "h1" }]);
    expect(world.state().form.profile).toEqual({ at: "done" });
    expect(world.state().auth.at).toBe("authenticated");
    world.expectReplays();
  });

  it("show success once it is stored, also on a page loaded meanwhile", async () => {
    const world = await openWorld({
      ...viewer(aProfile({ temporary_password: true })),
      "api.updateProfile": () => aProfile(),
      "storage.flush": silence,
    });
    world.ui(formActions.submitted({ key: "profile", handle: "h1" }));
    await world.pass();
    // Storing includes the whole login.
    expect(world.state().auth.at).toBe("authenticated");
    expect(world.state().form.profile).toEqual({ at: "storing" });
    world.script["api.getProfile"] = silence;
    await world.reload();
    expect(world.state().auth.at).toBe("authenticated");
    expect(world.state().form.profile).toEqual({ at: "done" });
    world.expectReplays();
  });

  it("show a refusal, and an interruption", async () => {
    const world = await openWorld({ "api.resetPassword": refusing(400, "Reset password key expired.") });
    world.ui(formActions.submitted({ key: "passwordReset", handle: "h1" }));
    await world.pass();
    expect(world.state().form.passwordReset).toMatchObject({
      at: "refused",
      refusal: { message: "Reset password key expired." },
    });
    world.ui(formActions.left({ key: "passwordReset" }));
    expect(world.state().form.passwordReset).toEqual({ at: "idle" });
    world.script["api.resetPassword"] = silence;
    world.ui(formActions.submitted({ key: "passwordReset", handle: "h2" }));
    await world.pass();
    await world.reload();
    expect(world.state().form.passwordReset).toMatchObject({ at: "refused", refusal: { code: "interrupted" } });
    world.expectReplays();
  });

  it.each([
    ["done", (): null => null],
    ["refused", refusing(400, "Reset password key expired.")],
  ] as const)("are new on a page that is loaded after they were shown as %s", async (end, answer) => {
    const world = await openWorld({ "api.resetPassword": answer });
    world.ui(formActions.submitted({ key: "passwordReset", handle: "h1" }));
    await world.pass();
    expect(world.state().form.passwordReset?.at).toBe(end);
    await world.reload();
    expect(world.state().form.passwordReset).toEqual({ at: "idle" });
    world.expectReplays();
    world.expectExpected();
  });

  it("can be sent again after a refusal and after success, and start over once left", async () => {
    const world = await openWorld({ "api.requestPasswordReset": refusing(400, "User not found.") });
    const send = () => world.ui(formActions.submitted({ key: "passwordResetRequest", handle: "h1" }));
    const at = () => world.state().form.passwordResetRequest?.at;
    send();
    await world.pass();
    world.script["api.requestPasswordReset"] = () => null;
    send();
    expect(at()).toBe("sending");
    await world.pass();
    send();
    expect(at()).toBe("sending");
    await world.pass();
    expect(world.calls("api.requestPasswordReset")).toHaveLength(3);
    world.ui(formActions.left({ key: "passwordResetRequest" }));
    expect(at()).toBe("idle");
    world.expectReplays();
  });

  it("keep the user logged in when another account is deleted, while their key works", async () => {
    const world = await openViewerWorld({ "api.confirmAccountDeletion": () => ({ other: true }) });
    const before = world.calls("api.getProfile").length;
    world.ui(formActions.submitted({ key: "confirmDeletion", handle: "h1" }));
    await world.pass();
    expect(world.state().form.confirmDeletion?.at).toBe("done");
    expect(world.state().auth.at).toBe("authenticated");
    expect(world.calls("api.getProfile")).toHaveLength(before + 1);
    world.expectReplays();
  });

  it("end the session when the account is deleted", async () => {
    const world = await openViewerWorld({ "api.confirmAccountDeletion": () => null });
    world.ui(formActions.submitted({ key: "confirmDeletion", handle: "h1" }));
    await world.pass();
    expect(world.state().auth.at).toBe("anonymous");
    world.expectReplays();
  });
});
