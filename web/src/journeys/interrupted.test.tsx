// @vitest-environment jsdom

import { cleanup, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { openWorld, refusing, silence } from "../sagas/testing/world";
import { loginActions } from "../slices/login";
import { click, fill, says, until, well } from "./testing/calls";
import { showWorld } from "./testing/page";

afterEach(cleanup);

const CUT_OFF = "Something went wrong. Please try again or contact technical support.";

describe.each([
  ["/login", "login", "api.login"],
  ["/registration", "register", "api.register"],
] as const)("%s", (path, way, method) => {
  const there = () => void screen.getByLabelText("Email");

  it("reports once that a reload interrupted it (AUTH-1, AUTH-6)", async () => {
    const world = await openWorld({ ...well, [method]: silence });
    await world.pass();
    world.ui(loginActions.submitted({ way, handle: "h" }));
    await world.pass();
    // The screen must be loaded: the interruption is displayed before that.
    await world.reload();
    expect(world.state().login).toMatchObject({ at: "refused", refusal: { code: "interrupted" } });
    const page = await showWorld(world, path);
    await until(page, there);
    says(CUT_OFF);
    await page.go("/verify-notice");
    await until(page, () => says("Check your email"));
    await page.go(path);
    await until(page, there);
    expect(screen.queryByText(CUT_OFF)).toBeNull();
    world.expectExpected();
  });

  it("doesn't report a refusal from elsewhere (AUTH-1, AUTH-6)", async () => {
    const world = await openWorld({ ...well, [method]: refusing(400, "Wrong auth data.") });
    await world.pass();
    world.ui(loginActions.submitted({ way, handle: "h" }));
    await world.pass();
    expect(world.state().login).toMatchObject({ at: "refused", refusal: { message: "Wrong auth data." } });
    const page = await showWorld(world, path);
    await until(page, there);
    expect(screen.queryByText("Wrong auth data.")).toBeNull();
    world.expectExpected();
  });
});

it("shows the form of a second link in the tab where the first one was used (AUTH-4)", async () => {
  const world = await openWorld({ ...well, "api.resetPassword": () => null });
  const link = (signature: string) => `/password-reset?email=v%40viewer.example&expires=1&signature=${signature}`;
  const choose = async (path: string) => {
    const page = await showWorld(world, path);
    await until(page, () => fill(/^New password/, "correct horse"));
    fill("Confirm password", "correct horse");
    await until(page, () => click("Save password"));
    return page;
  };
  const page = await choose(link("first"));
  await until(page, () => says(/^Your password has been changed/));
  // The page closes as it is: nobody leaves its form.
  await world.reload();
  cleanup();
  world.script["api.resetPassword"] = silence;
  await choose(link("second"));
  expect(world.calls("api.resetPassword")).toHaveLength(2);
  // The interrupted purchase is displayed on the next page, once.
  for (const isReported of [true, false]) {
    await world.reload();
    cleanup();
    const next = await showWorld(world, link("second"));
    await until(next, () => void screen.getByLabelText(/^New password/));
    expect(screen.queryByText(CUT_OFF) !== null).toBe(isReported);
  }
  world.expectExpected();
});
