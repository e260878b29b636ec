// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import type { Api } from "../api";
import type { InputOrigin } from "../eventlog/envelope";
import { openWorld, type Script, silence, viewer } from "../sagas/testing/world";
import { selectErrorScreen } from "../slices/errorScreen";
import { selectToasts, toastActions } from "../slices/toast";
import { channelEventsOf, reportKeyLoss } from "./channelEvents";

async function open(script: Script = viewer()) {
  const world = await openWorld(script);
  const news = channelEventsOf(
    (origin: InputOrigin, action) => world.input(origin, action),
    () => world.state(),
  );
  return { world, news };
}

describe("the channel's events about the whole site (ERR)", () => {
  it("include a document event and a logout after an API key was refused (ERR-5)", async () => {
    const { world, news } = await open();
    let notified = 0;
    document.addEventListener("api_key_error", () => {
      notified += 1;
    });
    expect(world.state().auth.at).toBe("authenticated");
    news.apiKeyLost();
    expect(notified).toBe(1);
    expect(world.state().auth.at).toBe("anonymous");
    world.expectReplays();
  });

  it("reset the viewer after an unauthenticated answer (AUTH-3)", async () => {
    const { world, news } = await open();
    news.unauthenticated();
    expect(world.state().auth.at).toBe("anonymous");
    world.expectReplays();
  });

  it("reset nobody without a user: the page would reread everything, endlessly", async () => {
    const { world, news } = await open({});
    news.unauthenticated();
    expect(world.actions("auth/reset")).toEqual([]);
  });

  it.each(["unauthenticated", "api_key"] as const)(
    "reset the viewer whose key the service worker lost, and nobody who logged in since: %s",
    async (how) => {
      const { world, news } = await open();
      const holding = (user_id: number | null) => ({
        keys: { read: async () => ({ channel_key: "northfield", api_key: "k", user_id }) } as Api["keys"],
      });
      await reportKeyLoss(how, holding(7), news);
      expect(world.state().auth.at).toBe("authenticated");
      await reportKeyLoss(how, holding(null), news);
      expect(world.actions("auth/reset")).toEqual([
        { type: "auth/reset", payload: { reason: how, ...(how === "unauthenticated" && { user_id: 7 }) } },
      ]);
      expect(world.state().auth.at).toBe("anonymous");
      world.expectReplays();
    },
  );

  it("include a notice for too many requests (ERR-1)", async () => {
    const { world, news } = await open();
    news.throttled(7_000);
    // The caller reports it as well, and another call was throttled too.
    const [notice] = selectToasts(world.state());
    world.ui(toastActions.wanted({ text: notice?.text ?? "", type: "error" }));
    news.throttled(7_000);
    expect(selectToasts(world.state())).toEqual([notice]);
    expect(notice).toMatchObject({ type: "error", text: expect.stringMatching(/^Too many/) });
    world.expectReplays();
  });

  it("include the error screen for a failed call that crashes, with its request id (ERR-6)", async () => {
    const { world, news } = await open();
    const message = "Apologies! Our service is currently experiencing technical difficulties.";
    news.crashed({ message, status: 503, requestId: "r-1" });
    expect(selectErrorScreen(world.state())).toMatchObject({ at: "shown", message, status: 503, request_id: "r-1" });
    world.expectReplays();
  });

  it("include no error screen if such a call failed in the background of a visible page", async () => {
    const failed = { message: "Apologies!", status: 502, requestId: null, sparesPage: true } as const;
    const { world, news } = await open();
    news.crashed(failed);
    expect(selectErrorScreen(world.state())).toEqual({ at: "none" });
    // A refusal by the worker concerns the visible page as well.
    news.crashed({ ...failed, status: 403, sparesPage: false });
    expect(selectErrorScreen(world.state()).at).toBe("shown");
    const early = await open({ "api.getBootstrap": silence });
    early.news.crashed(failed);
    expect(selectErrorScreen(early.world.state()).at).toBe("shown");
  });

  it("mark the page as stale after a cached answer", async () => {
    const { world, news } = await open();
    news.answeredFromCache();
    expect(world.state().startup).toMatchObject({ at: "ready", stale: true });
    world.expectReplays();
  });

  it("mark a later page as stale after an earlier cached answer", async () => {
    const { world, news } = await open({ "api.getBootstrap": silence });
    news.answeredFromCache();
    expect(world.state().startup).toMatchObject({ at: "loading", stale: true });
    world.expectReplays();
  });
});
