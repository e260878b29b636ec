// @vitest-environment jsdom
import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { aBootstrap } from "../sagas/testing/resources";
import { showPage } from "./testing/page";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function channelWith(providers: string[]) {
  const bootstrap = aBootstrap();
  return {
    "api.getBootstrap": () => ({
      ...bootstrap,
      settings: { ...bootstrap.settings, auth: { ...bootstrap.settings.auth, providers } },
    }),
    "api.startSocialLogin": ({ provider }: { provider: string }) => ({ url: `https://${provider}.test/authorize` }),
  };
}

it.each(["/login", "/registration"])(
  "%s links to the channel's social logins, and to no others (AUTH-1)",
  async (path) => {
    const page = await showPage(path, channelWith(["google", "elsewhere"]));
    fireEvent.click(await screen.findByRole("button", { name: "Google" }));
    await page.pass();
    expect(page.world.calls("ui.openUrl")).toEqual([{ url: "https://google.test/authorize" }]);
    expect(screen.queryByRole("button", { name: "Facebook" })).toBeNull();
  },
);

it.each(["/login", "/registration"])(
  "%s shows its form with the buttons above it, which would move it",
  async (path) => {
    const { "api.getBootstrap": bootstrap, ...channel } = channelWith(["google"]);
    let arrive: () => void = () => undefined;
    const late = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const page = await showPage(path, { ...channel, "api.getBootstrap": () => late.then(bootstrap) });
    await page.pass();
    expect(document.querySelector("h1")).not.toBeNull();
    expect(document.querySelector("form")).toBeNull();
    arrive();
    await screen.findByRole("button", { name: "Google" });
    expect(document.querySelector("form")).not.toBeNull();
  },
);

it("a channel without social logins has the form alone", async () => {
  await showPage("/login", channelWith([]));
  await screen.findByRole("button", { name: "Log in" });
  expect(screen.queryByText("or with email")).toBeNull();
});
