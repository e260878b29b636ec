import { describe, expect, it } from "vitest";
import { analyticsActions } from "../slices/analytics";
import { authActions } from "../slices/auth";
import { connectionInputs } from "../slices/connection";
import { loginActions } from "../slices/login";
import { purchaseActions } from "../slices/purchase";
import { authLeads, purchaseChoice, purchaseLeads } from "./testing/processStates";
import { anEvent, anOrder, paid } from "./testing/resources";
import { openWorld, refusing, viewer } from "./testing/world";

// Calls whose refusal no screen shows. The others are in src/journeys/catalogue.test.ts and errors.test.tsx.

const SAID = "Wrong auth data.";

describe("a refusal (ERR-8)", () => {
  it("of the bank's question fails the purchase with its message, and another can be made", async () => {
    const world = await purchaseLeads.preparing();
    Object.assign(world.script, {
      "api.getEvent": () => anEvent(),
      "api.buy": () => anOrder({ next_action: { type: "confirm" } }),
      "payments.confirm": refusing(400, SAID),
    });
    world.ui(purchaseActions.submitPressed({ choice: purchaseChoice }));
    await world.pass();
    expect(world.state().purchase).toMatchObject({ at: "failed", message: SAID, popup: true });
    world.script["api.buy"] = () => paid();
    world.ui(purchaseActions.submitPressed({ choice: purchaseChoice }));
    await world.pass();
    expect(world.state().purchase.at).toBe("succeeded");
    world.expectReplays();
  });

  it("of the profile logs the viewer out, who can log in again (START-3)", async () => {
    const world = await openWorld({ ...viewer(), "api.getProfile": refusing(400, SAID, "user_not_found") });
    expect(world.state().auth.at).toBe("anonymous");
    expect(world.state().startup.at).toBe("ready");
    world.script["api.login"] = viewer()["api.getProfile"] as never;
    world.ui(loginActions.submitted({ way: "login", handle: "h" }));
    await world.pass();
    expect(world.state().auth.at).toBe("authenticated");
    world.expectReplays();
  });

  it("of the profile by an intermediary ends no payment, and logs nobody out", async () => {
    const world = await purchaseLeads.confirming();
    world.script["api.getProfile"] = refusing(403, "Sign in to this network.");
    await world.pass(60_000);
    world.input("ui", connectionInputs.cameBack());
    await world.pass();
    expect(world.state().startup).toMatchObject({ at: "ready", stale: true });
    expect(world.state().auth).toEqual({ at: "authenticated", userId: 7 });
    expect(world.state().purchase.at).toBe("confirming");
    world.script["api.getProfile"] = viewer()["api.getProfile"] as never;
    await world.pass(30_000);
    expect(world.state().startup).toMatchObject({ at: "ready", stale: false });
    world.expectReplays();
  });

  it("of a logout leaves nobody logged in (AUTH-2)", async () => {
    const world = await authLeads.authenticated();
    world.script["api.logout"] = refusing(400, SAID);
    world.ui(authActions.logoutPressed());
    await world.pass();
    expect(world.state().auth).toEqual({ at: "anonymous" });
    world.expectReplays();
  });

  it("of an analytics session is invisible, and it is requested again (ANA-1)", async () => {
    const world = await openWorld({ "api.getAnalyticsSession": refusing(400, SAID) });
    const device = { device_type: "desktop", user_agent: "Test/1.0", resolution: "1280x720", do_not_track: false };
    world.input("ui", analyticsActions.deviceKnown({ ...device, origin_url: "http://northfield.test" }));
    await world.pass();
    expect(world.state().analyticsSession.at).toBe("failed");
    expect(world.state().toast).toEqual([]);
    world.script["api.getAnalyticsSession"] = () => "session-2";
    await world.pass(10 * 60_000);
    expect(world.state().analyticsSession).toMatchObject({ at: "active", session: "session-2" });
    world.expectReplays();
  });
});
