// @vitest-environment jsdom
import { cleanup, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { aBootstrap, aClip } from "../sagas/testing/resources";
import { away, refusing } from "../sagas/testing/world";
import { click, loggedIn, says, until } from "./testing/calls";
import { showPage } from "./testing/page";

afterEach(cleanup);

const clip = aClip({ status: "ready", name: "The dunk" });
const nothing = {
  "api.getBootstrap": () => aBootstrap({ packages: [], subscriptions: [] }),
  "api.listVodCategories": () => [],
  ...loggedIn,
};

// Each page's subject, and its message if the channel has no such thing.
describe.each([
  ["/watch/999999", "api.getEvent", "We couldn’t find this event."],
  ["/watch_embed/999999", "api.getEvent", "We couldn’t find this event."],
  ["/vod_library/999999", "api.getVodItem", "We couldn’t find this video."],
  ["/select-package/9999", "api.getPackage", "There’s nothing to buy here."],
  ["/buy?type=package&package_id=9999", "api.getPackage", "There’s nothing to buy here."],
  [`/share/${clip.id}/${clip.uuid}`, "api.getSharedClip", "We couldn’t find this video."],
] as const)("%s, read by %s", (path, method, missing) => {
  it("says that there is none, and offers no retry (ERR-1)", async () => {
    const page = await showPage(path, { ...nothing, [method]: refusing(404, "Not found.", "not_found") });
    await until(page, () => says(missing));
    expect(screen.queryByText("Try again")).toBeNull();
  });

  it.each([
    ["a 500", refusing(500, "Something went wrong.", "internal")],
    ["a 429", refusing(429, "Too many requests.", "too_many")],
    ["a proxy's 404", refusing(404, "Something went wrong.")],
    ["no network", away],
  ])("treats %s as a temporary failure (ERR-1)", async (_, answer) => {
    const page = await showPage(path, { ...nothing, [method]: answer });
    await until(page, () => says("Try again"));
    expect(screen.queryByText(missing)).toBeNull();
  });
});

it("a shared clip appears once the worker has recovered (CLIP-3)", async () => {
  const path = `/share/${clip.id}/${clip.uuid}`;
  const page = await showPage(path, { ...nothing, "api.getSharedClip": refusing(500, "Something went wrong.") });
  await until(page, () => says("Try again"));
  page.world.script["api.getSharedClip"] = () => clip;
  await until(page, () => click("Try again"));
  await until(page, () => says("The dunk"));
  page.world.expectExpected();
});

describe("a link that confirms an email", () => {
  const path = "/verify-email?email=v%40viewer.example&expires=1&signature=s";

  it("can be retried after an unrelated failure (AUTH-4)", async () => {
    const page = await showPage(path, { ...nothing, "api.verifyEmail": away });
    await until(page, () => click("Confirm email"));
    await until(page, () => click("Try again"));
    expect(screen.queryByText("Verification your email address failed.")).toBeNull();
    page.world.script["api.verifyEmail"] = () => null;
    await until(page, () => click("Try again"));
    await until(page, () => says("Your email is confirmed."));
    expect(page.world.calls("api.verifyEmail")).toHaveLength(3);
  });

  it("isn't retried after the worker rejected it (AUTH-4)", async () => {
    const page = await showPage(path, {
      ...nothing,
      "api.verifyEmail": refusing(400, "Verification failed.", "verification_failed"),
    });
    await until(page, () => click("Confirm email"));
    await until(page, () => says("Verification your email address failed."));
    expect(screen.queryByText("Try again")).toBeNull();
  });
});
